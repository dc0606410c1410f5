package io.deepvm.places.aws;

import io.deepvm.base.BadInput;
import io.deepvm.places.ledger.Tariff;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What a user can find out of an AWS account, and end in it, without a run. Every call blocks. */
public final class AwsAccount {

  private static final String PARAMETER = "ssm:";

  private final Ec2 ec2;
  private final Clock clock;

  private AwsAccount(Ec2 ec2, Clock clock) {
    this.ec2 = ec2;
    this.clock = clock;
  }

  /** Opens the account that the user's credentials are of. */
  public static AwsAccount of(AwsWire wire, Clock clock) {
    return new AwsAccount(new Ec2(wire), clock);
  }

  /** Something that carries the tags of a run. */
  public record Leftover(
      String id, String kind, String state, String run, String node, String owner, String until) {}

  /** Returns the names of the region's zones by their ids; refuses bad credentials. */
  public Map<String, String> zones() throws IOException {
    try {
      return ec2.zones();
    } catch (Ec2Failure e) {
      throw denied(e);
    }
  }

  /** Refuses credentials that AWS refuses, and those of another account than a run's. */
  static void require(Rentals rentals) throws IOException {
    try {
      rentals.requireAccount();
    } catch (Ec2Failure e) {
      if (Refusals.isDenied(e) || e.code().equals("NoCredentials")) {
        throw denied(e);
      }
    } catch (IOException e) {
      // It is looked at again before any machine is written off.
    }
  }

  /** Returns the account's number. */
  public String number() throws IOException {
    try {
      return ec2.account();
    } catch (Ec2Failure e) {
      throw denied(e);
    }
  }

  static IOException denied(Ec2Failure e) {
    if (e.code().equals("NoCredentials")) {
      throw new BadInput(
          "There are no AWS credentials here.",
          "Maybe set AWS_PROFILE, or run 'aws configure' or 'aws sso login'.");
    } else if (Refusals.isDenied(e)) {
      throw new BadInput(
          "AWS refuses these credentials (%s).".formatted(e.getMessage()),
          "Maybe compare them and their rights with docs/how-to/aws.md.");
    }
    return e;
  }

  /** Returns the id of an image that is given as an id or as ssm:PARAMETER. */
  public String image(String text) throws IOException {
    if (!text.startsWith(PARAMETER)) {
      return text;
    }
    try {
      return ec2.parameter(text.substring(PARAMETER.length()));
    } catch (Ec2Failure e) {
      if (Refusals.isDenied(e)) {
        throw denied(e);
      }
      throw new BadInput(
          "SSM gives no image for %s (%s).".formatted(text, e.getMessage()),
          "Maybe name an image by its id: --image ami-...");
    }
  }

  /** Returns the spot price of now; empty if the zone does not sell the type on spot. */
  public OptionalLong spotMicros(String zoneId, String type) throws IOException {
    List<Tariff.Price> prices = ec2.spotPrices(zoneId, type, clock.millis(), clock.millis());
    return prices.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(prices.get(prices.size() - 1).microsPerHour());
  }

  /** A spot price of now, as EC2 writes it. */
  public record SpotQuote(String zoneId, String type, String usd) {}

  /** Returns the spot prices of now of types in all zones of the region. */
  public List<SpotQuote> spotQuotes(Collection<String> types) throws IOException {
    try {
      return ec2.spotQuotes(types, clock.instant());
    } catch (Ec2Failure e) {
      throw denied(e);
    }
  }

  /** Returns the vCPUs of instance types. */
  public Map<String, Integer> cores(Collection<String> types) throws IOException {
    return ec2.cores(types);
  }

  /** Returns the vCPUs that the account may use at once of a family of types. */
  public double quota(Quota quota) throws IOException {
    return ec2.quota(quota.code());
  }

  /** A quota of vCPUs. */
  public record Quota(String code, String name) {

    /** Returns the quota that an instance of a type counts for. */
    public static Quota of(String type, boolean spot) {
      String family = type.replaceAll("[^a-z].*", "");
      return switch (family) {
        case "g", "gr", "vt" ->
            spot
                ? new Quota("L-3819A6DF", "All G and VT Spot Instance Requests")
                : new Quota("L-DB2E81BA", "Running On-Demand G and VT instances");
        case "p" ->
            spot
                ? new Quota("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests")
                : new Quota("L-417A185B", "Running On-Demand P instances");
        default ->
            spot
                ? new Quota("L-34B43A08", "All Standard Spot Instance Requests")
                : new Quota("L-1216C47A", "Running On-Demand Standard instances");
      };
    }
  }

  /** Asks whether the account may start an instance as the settings say; starts none. */
  public void requireRights(AwsSettings settings) throws IOException {
    AwsSettings.Offered pool = settings.pools().get(0);
    Map<String, String> form = new TreeMap<>();
    form.put("MinCount", "1");
    form.put("MaxCount", "1");
    form.put("ImageId", settings.login().image());
    form.put("InstanceType", pool.instanceType());
    form.put("Placement.AvailabilityZoneId", pool.zoneId());
    form.putAll(Requests.tags(1, "instance", Requests.tags(settings)));
    try {
      ec2.tryRun(form);
    } catch (Ec2Failure e) {
      if (Refusals.isDenied(e)) {
        throw denied(e);
      }
      throw new BadInput(
          "EC2 would not start a %s (%s).".formatted(pool.instanceType(), e.getMessage()),
          "Maybe choose another image, type or region.");
    }
  }

  /** Returns everything that carries the tags of a run and exists. */
  public List<Leftover> leftovers() throws IOException {
    List<Leftover> all = new ArrayList<>();
    try {
      for (Instance each : ec2.tagged(Requests.RUN, "")) {
        if (!each.isTerminated()) {
          all.add(leftover(each.id(), "instance", each.state(), each.tags()));
        }
      }
      ec2.groupsTagged(Requests.RUN)
          .forEach((id, tags) -> all.add(leftover(id, "security group", "exists", tags)));
    } catch (Ec2Failure e) {
      throw denied(e);
    }
    return all;
  }

  private static Leftover leftover(String id, String kind, String state, Map<String, String> tags) {
    return new Leftover(
        id,
        kind,
        state,
        tags.getOrDefault(Requests.RUN, ""),
        tags.getOrDefault(Requests.NODE, ""),
        tags.getOrDefault(Requests.OWNER, ""),
        tags.getOrDefault(Requests.UNTIL, ""));
  }

  /**
   * Ends everything of one run; a machine needs a while, and its security group goes after it.
   * Returns whether nothing of it is left.
   */
  public boolean end(String run) throws IOException {
    boolean none = true;
    for (Instance each : ec2.tagged(Requests.RUN, run)) {
      if (!each.isTerminated()) {
        ec2.terminate(each.id());
        none = false;
      }
    }
    if (!none) {
      return false;
    }
    for (String id : ec2.groups(Requests.RUN, run)) {
      ec2.deleteGroup(id);
    }
    return true;
  }
}
