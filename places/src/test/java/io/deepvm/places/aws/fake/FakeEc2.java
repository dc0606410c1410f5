package io.deepvm.places.aws.fake;

import io.deepvm.places.aws.AwsWire;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of EC2 that DeepVM uses, in memory: what the documents say, and the faults that they
 * warn of. A test drives its clock.
 */
public final class FakeEc2 implements AwsWire {

  /** Receives the lives of machines. */
  public interface Guests {

    /** Lets machines be. */
    Guests NONE =
        new Guests() {
          @Override
          public void boots(FakeInstance instance, String userData) {}

          @Override
          public void ends(FakeInstance instance) {}
        };

    /** The machine runs now. */
    void boots(FakeInstance instance, String userData);

    /** The machine is no more. */
    void ends(FakeInstance instance);
  }

  /** The account that its machines are in. */
  public static final String ACCOUNT = "123456789012";

  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** How long an instance takes to boot, and to end. */
  public record Pace(long bootMs, long stopMs, long listLagMs, String subnet) {
    /** The pace of tests on simulated time. */
    public static final Pace USUAL = new Pace(20_000, 15_000, 0, "10.9.0.");
  }

  private final Clock clock;
  private final FakeMarket market;
  private final Guests guests;
  private final Pace pace;
  private final FakeFaults faults = new FakeFaults();
  private final Map<String, FakeInstance> instances = new LinkedHashMap<>();
  private final Map<String, FakeInstance> tokens = new TreeMap<>();
  private final FakeGroups groups = new FakeGroups();
  private final List<Map<String, String>> calls = new ArrayList<>();
  private String account = ACCOUNT;
  private boolean hidden;

  /** Makes one without machines. */
  public FakeEc2(Clock clock, FakeMarket market, Guests guests, Pace pace) {
    this.clock = clock;
    this.market = market;
    this.guests = guests;
    this.pace = pace;
  }

  // --- What a test sets and sees ---

  /** Returns the faults to set. */
  public FakeFaults faults() {
    return faults;
  }

  /** Returns the requests so far, as they arrived. */
  public synchronized List<Map<String, String>> calls() {
    return List.copyOf(calls);
  }

  /** Returns all instances that ever were. */
  public synchronized List<FakeInstance> instances() {
    advance();
    return List.copyOf(instances.values());
  }

  /** Returns the instances and groups that exist and that nobody asked to end. */
  public synchronized long leaks() {
    advance();
    return instances.values().stream().filter(FakeInstance::exists).count() + groups.count();
  }

  /** Returns what everything has cost so far, in micro-dollars. */
  public synchronized long micros() {
    advance();
    long now = clock.millis();
    return instances.values().stream().mapToLong(each -> FakeMeter.micros(each, market, now)).sum();
  }

  /** Has the credentials of all further requests be of another account, which sees no machine. */
  public synchronized void account(String other) {
    account = other;
  }

  /** Lists nothing for a while, as an EC2 that is not consistent. */
  public synchronized void hide(boolean nothing) {
    hidden = nothing;
  }

  /** Takes a spot instance after a while, as the market does. */
  public synchronized void interrupt(String id, long leadMs) {
    FakeInstance instance = instances.get(id);
    if (instance != null) {
      instance.takenMs = clock.millis() + leadMs;
    }
  }

  /** Lets a machine switch itself off. */
  public synchronized void powerOff(String id) {
    FakeInstance instance = instances.get(id);
    if (instance != null) {
      advance();
      stop(instance, "Client.InstanceInitiatedShutdown", clock.millis());
    }
  }

  /** Puts a machine of somebody else there. */
  public synchronized String stranger(Map<String, String> tags) {
    Map<String, String> request = new TreeMap<>();
    request.put("InstanceType", market.cores().keySet().iterator().next());
    FakeInstance instance = launch(request);
    instance.tags.putAll(tags);
    return instance.id;
  }

  // --- Requests ---

  @Override
  public Reply query(String service, Map<String, String> form) throws IOException {
    String action = form.getOrDefault("Action", "");
    synchronized (this) {
      calls.add(Map.copyOf(form));
      advance();
      if (faults.take(action, FakeFaults.Fault.LOSE_REQUEST)) {
        throw new IOException("the connection broke");
      } else if (faults.take(action, FakeFaults.Fault.THROTTLE)) {
        return error(503, "RequestLimitExceeded", "Request limit exceeded.");
      } else if (faults.take(action, FakeFaults.Fault.FAIL)) {
        return new Reply(500, "");
      } else if (faults.take(action, FakeFaults.Fault.DENY)) {
        return action.equals("GetCallerIdentity")
            ? FakePages.deniedIdentity()
            : error(401, "AuthFailure", "AWS was not able to validate the credentials");
      }
      Reply reply = answer(action, form);
      if (faults.take(action, FakeFaults.Fault.LOSE_REPLY)) {
        throw new IOException("the connection broke");
      }
      return reply;
    }
  }

  private Reply answer(String action, Map<String, String> form) {
    return switch (action) {
      case "RunInstances" -> run(form);
      case "DescribeInstances" -> describe(form);
      case "TerminateInstances" -> terminate(form);
      case "GetCallerIdentity" -> FakePages.identity(account);
      case "DescribeSpotPriceHistory" -> FakePages.prices(market, form, clock.millis());
      case "DescribeAvailabilityZones" -> FakePages.zones();
      case "DescribeInstanceTypes" -> FakePages.types(market, form);
      case "CreateSecurityGroup",
          "AuthorizeSecurityGroupIngress",
          "DescribeSecurityGroups",
          "DeleteSecurityGroup" ->
          groups.answer(action, form, instances.values());
      default -> error(400, "InvalidAction", "The action %s is not valid.".formatted(action));
    };
  }

  static Reply error(int status, String code, String message) {
    return new Reply(
        status,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>%s</Code>"
                .formatted(code)
            + "<Message>%s</Message></Error></Errors><RequestID>fake</RequestID></Response>"
                .formatted(FakePages.escaped(message)));
  }

  private Reply run(Map<String, String> form) {
    String token = form.getOrDefault("ClientToken", "");
    FakeInstance before = tokens.get(token);
    if (before != null) {
      return before.request.equals(form)
          ? FakePages.started(before)
          : error(400, "IdempotentParameterMismatch", "The token was used with other parameters.");
    }
    String zone = form.getOrDefault("Placement.AvailabilityZoneId", "");
    String type = form.getOrDefault("InstanceType", "");
    if (!FakeMarket.ZONES.containsKey(zone)) {
      return error(400, "InvalidParameterValue", "Invalid availability zone: " + zone);
    } else if (!form.getOrDefault("ImageId", "").startsWith("ami-")) {
      return error(400, "InvalidAMIID.Malformed", "Invalid id: " + form.get("ImageId"));
    } else if (!market.cores().containsKey(type)) {
      return error(400, "Unsupported", "The type %s is not supported here.".formatted(type));
    } else if ("true".equals(form.get("DryRun"))) {
      return error(412, "DryRunOperation", "Request would have succeeded, but DryRun is set.");
    } else if (!groups.exists(form.getOrDefault("SecurityGroupId.1", ""))) {
      return error(400, "InvalidGroup.NotFound", "The security group does not exist.");
    }
    boolean spot = "spot".equals(form.get("InstanceMarketOptions.MarketType"));
    Reply refusal = refusal(form, zone + " " + type, spot);
    if (refusal != null) {
      return refusal;
    }
    FakeInstance instance = launch(form);
    tokens.put(token, instance);
    return FakePages.started(instance);
  }

  private @Nullable Reply refusal(Map<String, String> form, String pool, boolean spot) {
    List<FakeInstance> living = instances.values().stream().filter(FakeInstance::exists).toList();
    int type = market.cores().getOrDefault(form.getOrDefault("InstanceType", ""), 0);
    double used =
        living.stream()
            .filter(each -> each.isSpot() == spot)
            .mapToInt(each -> market.cores().getOrDefault(each.type(), 0))
            .sum();
    if (used + type > market.quota(spot)) {
      return spot
          ? error(400, "MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
          : error(400, "VcpuLimitExceeded", "You have requested more vCPU than your limit.");
    }
    if (spot) {
      String most = form.get("InstanceMarketOptions.SpotOptions.MaxPrice");
      long price = market.spotMicros(pool, clock.millis());
      if (most != null && Math.round(Double.parseDouble(most) * 1e6) < price) {
        return error(400, "SpotMaxPriceTooLow", "Your Spot request price is too low.");
      }
    }
    long there = living.stream().filter(each -> each.pool().equals(pool)).count();
    return there >= market.capacity(pool)
        ? error(
            500,
            "InsufficientInstanceCapacity",
            "We currently do not have sufficient capacity in the zone you requested.")
        : null;
  }

  private FakeInstance launch(Map<String, String> form) {
    int number = instances.size() + 1;
    // EC2 states times in whole seconds.
    long now = clock.millis() / 1000 * 1000;
    FakeInstance instance =
        new FakeInstance("i-%017x".formatted(number), form, pace.subnet() + (10 + number), now);
    FakePages.tags(form, "instance", instance.tags);
    FakePages.tags(form, "volume", instance.volumeTags);
    instances.put(instance.id, instance);
    return instance;
  }

  private Reply describe(Map<String, String> form) {
    long now = clock.millis();
    List<FakeInstance> found =
        instances.values().stream()
            .filter(each -> !hidden && account.equals(ACCOUNT))
            .filter(each -> now - each.launchMs >= pace.listLagMs())
            .filter(each -> !each.isForgotten(now, pace.stopMs()))
            .filter(each -> FakePages.passes(form, each))
            .toList();
    return FakePages.listed(found, form);
  }

  private Reply terminate(Map<String, String> form) {
    List<FakeInstance> all = new ArrayList<>();
    for (int i = 1; form.containsKey("InstanceId." + i); i++) {
      FakeInstance instance = instances.get(form.get("InstanceId." + i));
      boolean late = instance != null && clock.millis() - instance.launchMs < pace.listLagMs();
      boolean forgotten = instance != null && instance.isForgotten(clock.millis(), pace.stopMs());
      if (instance == null || late || forgotten || !account.equals(ACCOUNT)) {
        return error(400, "InvalidInstanceID.NotFound", "The instance does not exist.");
      }
      all.add(instance);
    }
    all.forEach(each -> stop(each, "Client.UserInitiatedShutdown", clock.millis()));
    return FakePages.stopping(all);
  }

  private void stop(FakeInstance instance, String code, long atMs) {
    if (instance.stoppingMs == Long.MAX_VALUE) {
      instance.stoppingMs = Math.max(instance.launchMs, (atMs + 999) / 1000 * 1000);
      instance.reasonCode = code;
      String who = code.startsWith("Client.User") ? "User initiated" : code;
      String when = MOMENT.format(Instant.ofEpochMilli(instance.stoppingMs));
      instance.reasonText = "%s (%s GMT)".formatted(who, when);
      instance.state = "shutting-down";
      guests.ends(instance);
    }
  }

  /** Brings all machines to where they are now. */
  private void advance() {
    long now = clock.millis();
    for (FakeInstance each : instances.values()) {
      if (each.state.equals("pending") && now >= each.launchMs + pace.bootMs()) {
        each.state = "running";
        byte[] data = Base64.getDecoder().decode(each.request.getOrDefault("UserData", ""));
        guests.boots(each, new String(data, java.nio.charset.StandardCharsets.UTF_8));
      }
      if (now >= each.takenMs) {
        stop(each, "Server.SpotInstanceTermination", each.takenMs);
      }
      if (each.isSpot() && each.exists() && each.stoppingMs == Long.MAX_VALUE) {
        String most = each.request.get("InstanceMarketOptions.SpotOptions.MaxPrice");
        if (most != null) {
          long mostMicros = Math.round(Double.parseDouble(most) * 1e6);
          long atMs = market.aboveMs(each.pool(), mostMicros, each.launchMs);
          if (now >= atMs) {
            // The market takes it at that moment, not when somebody looks.
            stop(each, "Server.SpotInstanceTermination", atMs);
          }
        }
      }
      if (each.exists() && each.stoppingMs != Long.MAX_VALUE) {
        if (now >= each.stoppingMs + pace.stopMs()) {
          each.state = "terminated";
        }
      }
    }
  }

  @Override
  public synchronized Reply json(String service, String target, String body) {
    return FakePages.json(target, body, market);
  }
}
