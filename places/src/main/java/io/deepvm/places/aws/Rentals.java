package io.deepvm.places.aws;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ledger.Leases;
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

  /** EC2 lists a new machine by then for certain. */
  private static final long LISTED_MS = 600_000;

  private final AwsSettings settings;
  private final Ec2 ec2;
  private final Ledger ledger;
  private final Leases leases;
  private final Absences absences = new Absences();
  private final Keys keys;
  private final Clock clock;
  private final RentalSteps steps;
  private @Nullable String group;

  Rentals(AwsSettings settings, Ec2 ec2, Path folder, Clock clock, RentalSteps steps)
      throws IOException {
    this.settings = settings;
    this.ec2 = ec2;
    this.ledger = new Ledger(folder);
    this.leases = new Leases(ledger, settings.ceiling(), clock);
    this.keys = Keys.of(folder);
    this.clock = clock;
    this.steps = steps;
  }

  Ledger ledger() {
    return ledger;
  }

  Leases leases() {
    return leases;
  }

  Keys keys() {
    return keys;
  }

  /** What came of an order. */
  sealed interface Answer {
    record Granted(String handle) implements Answer {}

    record Refused(News.Refusal why, String reason) implements Answer {}

    /** One more machine at this price could pass the ceiling, so that nothing was sent. */
    record TooDear(long microsPerHour) implements Answer {}

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
      if (!leases.allow(mostMicros(order))) {
        return new Answer.TooDear(mostMicros(order));
      }
      ordered = ledger.order(node, written(order));
      steps.reached(RentalStep.ORDER_WRITTEN, node);
      Account.Owed owed = ledger.account(node).owed();
      return owed != null ? end(node, owed.reason()) : send(node, ordered, true);
    }
    long age = clock.millis() - ordered.atMs();
    // Its lease counts from the order: a machine that starts now would soon end itself.
    return age > 500 * settings.ceiling().terms().bootSeconds()
        ? end(node, "its order was not answered in time")
        : send(node, ordered, false);
  }

  /** Returns how a machine stands that an earlier coordinator was granted. */
  private Answer found(String node, Account.Granted granted) throws IOException {
    Instance instance = look(Map.of(node, granted.handle())).get(node);
    return instance != null && instance.isTerminated()
        ? new Answer.Gone(settle(node, instance))
        : new Answer.Granted(granted.handle());
  }

  private long mostMicros(Order order) {
    AwsSettings.Offered pool = settings.pools().get(order.pool());
    return order.market() == Market.SPOT ? pool.mostSpotMicros() : pool.onDemandMicros();
  }

  private Account.Ordered written(Order order) throws IOException {
    long now = clock.millis();
    Map<String, String> request =
        Requests.one(settings, order, group(), UserData.of(settings, keys, now));
    String pool = settings.poolsOfRun().get(order.pool()).toString();
    return new Account.Ordered(pool, order.market(), request, mostMicros(order), now);
  }

  /**
   * Sends an order.
   *
   * @param first whether it certainly was never sent before
   */
  private Answer send(String node, Account.Ordered ordered, boolean first) throws IOException {
    Instance instance;
    try {
      instance = ec2.run(ordered.request());
    } catch (Ec2Failure e) {
      Optional<News.Refusal> why = first ? Refusals.of(e) : Refusals.ofRepeated(e);
      Optional<Instance> listed = first || why.isPresent() ? Optional.empty() : listed(node);
      if (listed.isPresent()) {
        instance = listed.get();
      } else if (why.isPresent() || (!first && isSurelyListed(ordered, e))) {
        ledger.takeBack(node);
        String said = String.valueOf(e.getMessage());
        return new Answer.Refused(why.orElse(News.Refusal.BROKEN), said);
      } else {
        throw e;
      }
    } finally {
      steps.reached(RentalStep.ORDER_SENT, node);
    }
    steps.reached(RentalStep.ORDER_ANSWERED, node);
    Account.Granted granted =
        ledger.grant(node, new Account.Granted(instance.id(), instance.launchMs()));
    steps.reached(RentalStep.GRANT_WRITTEN, node);
    return new Answer.Granted(granted.handle());
  }

  /** Returns the machine of a node by its tags. */
  private Optional<Instance> listed(String node) throws IOException {
    return ec2.tagged(Requests.RUN, settings.run()).stream()
        .filter(each -> node.equals(each.tags().get(Requests.NODE)))
        .findFirst();
  }

  /** Whether EC2 answers, and would list a machine of the order by now. */
  private boolean isSurelyListed(Account.Ordered ordered, Ec2Failure failure) throws IOException {
    boolean answered = failure.status() >= 400 && failure.status() < 500;
    if (!answered || Refusals.isDenied(failure) || Refusals.isThrottled(failure)) {
      return false;
    }
    return isOwnAccount() && clock.millis() - ordered.atMs() > LISTED_MS;
  }

  /** Writes that the machine of a node must end; its lease is not renewed after that. */
  void owe(String node, String reason) throws IOException {
    steps.reached(RentalStep.END_ASKED, node);
    ledger.owe(node, new Account.Owed(reason, clock.millis()));
    steps.reached(RentalStep.END_WRITTEN, node);
  }

  /**
   * Ends the machine of a node for ever. An order that nobody answered is sent again first: only
   * its token finds a machine that EC2 does not list yet.
   */
  synchronized Answer end(String node, String reason) throws IOException {
    owe(node, reason);
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
      Answer answer = send(node, ordered, false);
      if (!(answer instanceof Answer.Granted granted)) {
        return new Answer.Gone(never(node, reason));
      }
      handle = granted.handle();
    }
    try {
      ec2.terminate(handle);
      absences.answered(node);
    } catch (Ec2Failure e) {
      if (!e.code().equals("InvalidInstanceID.NotFound")) {
        throw e;
      }
      // Either EC2 lists it late, or has forgotten it: the next looks decide.
      absences.refused(node);
    } finally {
      steps.reached(RentalStep.END_SENT, node);
    }
    steps.reached(RentalStep.END_ANSWERED, node);
    return new Answer.Ending();
  }

  private Account.Gone never(String node, String reason) throws IOException {
    long now = clock.millis();
    return ledger.gone(
        node, new Account.Gone(News.Cause.ENDED.name(), reason, now, 0, true, false));
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
    handles.keySet().forEach(node -> absences.saw(node, found.containsKey(node), clock.millis()));
    return found;
  }

  /** Returns when the machine of a node has been paid from, at most one hour ago or longer. */
  private boolean isOld(String node) throws IOException {
    Account.Granted granted = ledger.account(node).granted();
    return granted != null && clock.millis() - granted.sinceMs() > FORGOTTEN_MS;
  }

  /** Whether EC2 has listed a machine so often not that its end must be asked for. */
  synchronized boolean isMissing(String node) throws IOException {
    return absences.areMany(node, clock.millis()) && isOld(node);
  }

  /**
   * Whether a machine is gone although EC2 never said so: it was not listed for a while, its end
   * was asked for, EC2 does not know it, and this is the account that it was in.
   */
  synchronized boolean isForgotten(String node) throws IOException {
    if (!isMissing(node) || !absences.wasRefused(node) || !ledger.account(node).isOwed()) {
      return false;
    }
    return isOwnAccount();
  }

  private boolean isOwnAccount() throws IOException {
    String own = settings.access().account();
    return own == null || own.equals(ec2.account());
  }

  /** Refuses credentials of another account than that of the run. */
  void requireAccount() throws IOException {
    String own = settings.access().account();
    String now = ec2.account();
    if (own != null && !own.equals(now)) {
      throw new BadInput(
          "The machines of this run are in the AWS account %s, and these credentials are of %s."
              .formatted(own, now),
          "Maybe set AWS_PROFILE to the profile that started the run.");
    }
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
    long until = stated ? ended : leases.paidUntilMs(account);
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
        ledger.gone(
            node, new Account.Gone(cause.name(), reason, until, micros, exact, instance == null));
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
