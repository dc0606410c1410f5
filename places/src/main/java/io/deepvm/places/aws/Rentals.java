package io.deepvm.places.aws;

import io.deepvm.catalog.Market;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ledger.Ledger;
import io.deepvm.places.ledger.Tariff;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rents and ends the machines of a run. The ledger has each order before it is sent, and each end
 * until EC2 says that the machine is terminated. Every method may block; a failure means that
 * nobody knows what became of the request, which must be repeated.
 */
final class Rentals {

  /** EC2 bills at least this. */
  private static final long LEAST_SECONDS = 60;

  /** EC2 lists terminated instances for about an hour. */
  private static final long FORGOTTEN_MS = 3_600_000;

  private final AwsSettings settings;
  private final Ec2 ec2;
  private final Ledger ledger;
  private final Keys keys;
  private final Clock clock;
  private final RentalSteps steps;
  private @Nullable String group;

  Rentals(AwsSettings settings, Ec2 ec2, Path folder, Clock clock, RentalSteps steps)
      throws IOException {
    this.settings = settings;
    this.ec2 = ec2;
    this.ledger = new Ledger(folder);
    this.keys = Keys.of(folder);
    this.clock = clock;
    this.steps = steps;
  }

  Ledger ledger() {
    return ledger;
  }

  Keys keys() {
    return keys;
  }

  /** What came of an order. */
  sealed interface Answer {
    record Granted(String handle) implements Answer {}

    record Refused(News.Refusal why, String reason) implements Answer {}

    record Gone(Account.Gone gone) implements Answer {}

    /** It ended before it was granted, and EC2 has not confirmed that. */
    record Ending() implements Answer {}
  }

  /** Rents the machine of a node, or finds it. */
  synchronized Answer order(Order order) throws IOException {
    String node = order.node();
    steps.reached(RentalStep.ORDER_ASKED, node);
    Account account = ledger.account(node);
    if (account.gone() != null) {
      return new Answer.Gone(account.gone());
    }
    if (account.owed() != null) {
      return end(node, account.owed().reason());
    }
    if (account.granted() != null) {
      return found(node, account.granted());
    }
    Account.Ordered ordered = account.ordered();
    if (ordered == null) {
      Optional<String> refusal = refusal(order);
      if (refusal.isPresent()) {
        return new Answer.Refused(News.Refusal.PRICE, refusal.get());
      }
      ordered = ledger.order(node, written(order));
      steps.reached(RentalStep.ORDER_WRITTEN, node);
      Account.Owed owed = ledger.account(node).owed();
      if (owed != null) {
        return end(node, owed.reason());
      }
    }
    return send(node, ordered);
  }

  /** Returns how a machine stands that an earlier coordinator was granted. */
  private Answer found(String node, Account.Granted granted) throws IOException {
    Instance instance = look(Map.of(node, granted.handle())).get(node);
    boolean gone = instance == null ? isForgotten(node) : instance.isTerminated();
    return gone ? new Answer.Gone(settle(node, instance)) : new Answer.Granted(granted.handle());
  }

  /** Returns why the order would cost too much; empty if it would not. */
  private Optional<String> refusal(Order order) throws IOException {
    long most = mostMicros(order);
    List<Account> accounts = ledger.accounts();
    Ceiling ceiling = settings.ceiling();
    return ceiling.allows(Ledger.micros(accounts), costs(accounts), most, clock.millis())
        ? Optional.empty()
        : Optional.of(
            "one more machine at $%.4f/h could pass the ceiling of $%.2f"
                .formatted(most / 1e6, ceiling.micros() / 1e6));
  }

  private long mostMicros(Order order) {
    AwsSettings.Offered pool = settings.pools().get(order.pool());
    return order.market() == Market.SPOT ? pool.mostSpotMicros() : pool.onDemandMicros();
  }

  /** Returns the machines that may cost money. */
  static List<Ceiling.Cost> costs(List<Account> accounts) {
    List<Ceiling.Cost> costs = new ArrayList<>();
    for (Account account : accounts) {
      Account.Ordered ordered = account.ordered();
      if (ordered != null && account.gone() == null) {
        Account.Granted granted = account.granted();
        long since = granted == null ? ordered.atMs() : granted.sinceMs();
        costs.add(new Ceiling.Cost(since, ordered.mostMicrosPerHour()));
      }
    }
    return costs;
  }

  private Account.Ordered written(Order order) throws IOException {
    long now = clock.millis();
    long mostSeconds = Math.max(60, (settings.ceiling().untilMs() - now) / 1000);
    Map<String, String> request =
        Requests.one(settings, order, group(), UserData.of(settings, keys, mostSeconds));
    String pool = settings.poolsOfRun().get(order.pool()).toString();
    return new Account.Ordered(pool, order.market(), request, mostMicros(order), now);
  }

  private Answer send(String node, Account.Ordered ordered) throws IOException {
    Instance instance;
    try {
      instance = ec2.run(ordered.request());
    } catch (Ec2Failure e) {
      Optional<News.Refusal> why = Refusals.of(e);
      if (why.isEmpty()) {
        throw e;
      }
      ledger.takeBack(node);
      return new Answer.Refused(why.get(), String.valueOf(e.getMessage()));
    } finally {
      steps.reached(RentalStep.ORDER_SENT, node);
    }
    steps.reached(RentalStep.ORDER_ANSWERED, node);
    Account.Granted granted =
        ledger.grant(node, new Account.Granted(instance.id(), instance.launchMs()));
    steps.reached(RentalStep.GRANT_WRITTEN, node);
    return new Answer.Granted(granted.handle());
  }

  /**
   * Ends the machine of a node for ever. An order that nobody answered is sent again first: only
   * its token finds a machine that EC2 does not list yet.
   */
  synchronized Answer end(String node, String reason) throws IOException {
    steps.reached(RentalStep.END_ASKED, node);
    ledger.owe(node, new Account.Owed(reason, clock.millis()));
    steps.reached(RentalStep.END_WRITTEN, node);
    Account account = ledger.account(node);
    if (account.gone() != null) {
      return new Answer.Gone(account.gone());
    }
    Account.Ordered ordered = account.ordered();
    if (ordered == null) {
      return new Answer.Gone(never(node, reason));
    }
    String handle;
    if (account.granted() != null) {
      handle = account.granted().handle();
    } else {
      Answer answer = send(node, ordered);
      if (!(answer instanceof Answer.Granted granted)) {
        return new Answer.Gone(never(node, reason));
      }
      handle = granted.handle();
    }
    try {
      ec2.terminate(handle);
    } finally {
      steps.reached(RentalStep.END_SENT, node);
    }
    steps.reached(RentalStep.END_ANSWERED, node);
    return new Answer.Ending();
  }

  private Account.Gone never(String node, String reason) throws IOException {
    long now = clock.millis();
    return ledger.gone(node, new Account.Gone(News.Cause.ENDED.name(), reason, now, 0, true));
  }

  /** Returns what EC2 says of machines, by node; one that EC2 does not list is left out. */
  synchronized Map<String, Instance> look(Map<String, String> handles) throws IOException {
    Map<String, String> nodes = new TreeMap<>();
    handles.forEach((node, handle) -> nodes.put(handle, node));
    Map<String, Instance> found = new TreeMap<>();
    for (Instance instance : ec2.describe(nodes.keySet())) {
      String node = nodes.get(instance.id());
      if (node != null) {
        found.put(node, instance);
      }
    }
    return found;
  }

  /** Whether a machine that EC2 does not list is gone for certain. */
  boolean isForgotten(String node) throws IOException {
    Account.Granted granted = ledger.account(node).granted();
    return granted != null && clock.millis() - granted.sinceMs() > FORGOTTEN_MS;
  }

  /**
   * Writes the bill of a machine that is terminated.
   *
   * @param instance as EC2 describes it; null if EC2 has forgotten it
   */
  synchronized Account.Gone settle(String node, @Nullable Instance instance) throws IOException {
    steps.reached(RentalStep.END_SEEN, node);
    Account account = ledger.account(node);
    Account.Gone gone = account.gone();
    Account.Ordered ordered = account.ordered();
    Account.Granted granted = account.granted();
    if (gone != null || ordered == null || granted == null) {
      return gone != null ? gone : never(node, "no machine was ordered");
    }
    long ended = instance == null ? 0 : instance.endedMs();
    boolean stated = ended > 0;
    long until = stated ? ended : clock.millis();
    List<Tariff.Price> prices = new ArrayList<>();
    if (ordered.market() == Market.SPOT) {
      String type = String.valueOf(ordered.request().get("InstanceType"));
      String zone = String.valueOf(ordered.request().get("Placement.AvailabilityZoneId"));
      prices.addAll(ec2.spotPrices(zone, type, granted.sinceMs(), until));
    }
    boolean exact = stated && (ordered.market() != Market.SPOT || !prices.isEmpty());
    if (prices.isEmpty()) {
      prices.add(new Tariff.Price(granted.sinceMs(), ordered.mostMicrosPerHour()));
    }
    steps.reached(RentalStep.BILL_KNOWN, node);
    long micros = Tariff.micros(prices, granted.sinceMs(), until, LEAST_SECONDS);
    Account.Owed owed = account.owed();
    News.Cause cause =
        instance != null && instance.wasTaken()
            ? News.Cause.TAKEN
            : owed != null ? News.Cause.ENDED : News.Cause.FAILED;
    String reason =
        owed != null
            ? owed.reason()
            : instance == null ? "EC2 does not list it any more" : said(instance);
    Account.Gone written =
        ledger.gone(node, new Account.Gone(cause.name(), reason, until, micros, exact));
    steps.reached(RentalStep.BILL_WRITTEN, node);
    return written;
  }

  private static String said(Instance instance) {
    return instance.wasTaken()
        ? "EC2 took it (%s)".formatted(instance.reason())
        : "the machine ended (%s)".formatted(instance.reason());
  }

  /** Returns the security group of the run, made if it does not exist. */
  synchronized String group() throws IOException {
    String known = group;
    if (known == null) {
      String name = "deepvm-" + settings.run();
      known = ec2.groupNamed(name);
      if (known.isEmpty()) {
        try {
          known = ec2.createGroup(name, Requests.tags(settings));
        } catch (Ec2Failure e) {
          if (!e.code().equals("InvalidGroup.Duplicate")) {
            throw e;
          }
          // EC2 lists it late.
          throw new IOException(e.getMessage(), e);
        }
      }
      ec2.open(known, settings.login().from());
      group = known;
    }
    return known;
  }

  /** Deletes the run's security group; no machine may use it. */
  synchronized void deleteGroup() throws IOException {
    for (String id : ec2.groups(Requests.RUN, settings.run())) {
      ec2.deleteGroup(id);
    }
    group = null;
  }

  /** Returns the newest spot price of each pool. */
  Map<Integer, Long> prices() throws IOException {
    Map<Integer, Long> prices = new TreeMap<>();
    long now = clock.millis();
    for (int pool = 0; pool < settings.pools().size(); pool++) {
      AwsSettings.Offered offered = settings.pools().get(pool);
      List<Tariff.Price> history =
          ec2.spotPrices(offered.zoneId(), offered.instanceType(), now, now);
      if (!history.isEmpty()) {
        prices.put(pool, history.get(history.size() - 1).microsPerHour());
      }
    }
    return prices;
  }
}
