package io.deepvm.places.aws;

import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ledger.Ledger;
import io.deepvm.places.ssh.RentedHosts;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshRentedHosts;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Machines of EC2, one instance a node. Whatever may cost money is in the ledger before it exists,
 * and stays an obligation until EC2 says that it is terminated.
 */
public final class AwsCloud implements Cloud {

  private static final String LOOPBACK = "127.0.0.1";
  private static final int SSH_PORT = 22;
  private static final long LOOK_MICROS = 3_000_000;
  private static final long OFFER_MICROS = 10_000_000;
  private static final long AGAIN_MICROS = 2_000_000;
  private static final long PRICES_MS = 300_000;
  private static final double FIRST_WAIT_SECONDS = 30;
  private static final double LONGEST_WAIT_SECONDS = 900;

  /** Where a node is in its life. */
  private sealed interface Life {

    /** The order is on its way. */
    record Ordering() implements Life {}

    /**
     * EC2 has the machine.
     *
     * @param seen whether it ran when EC2 last described it
     */
    record Held(Order order, String handle, boolean seen) implements Life {}

    /**
     * It must end.
     *
     * @param handle null if EC2 has not answered the order
     * @param asking whether EC2 is being asked right now
     */
    record Ending(@Nullable String handle, String reason, boolean asking) implements Life {}

    record Over(News.Gone gone) implements Life {}
  }

  /** What a coordinator gives to its cloud. */
  public record Parts(AwsWire wire, HostsOf hosts, Timers timers, Clock clock, RentalSteps steps) {}

  /** Makes the way to the machines of the run in a folder. */
  @FunctionalInterface
  public interface HostsOf {
    RentedHosts of(Path folder, Path key, KnownHosts hosts) throws IOException;
  }

  /** Says which key a machine must have. */
  @FunctionalInterface
  public interface KnownHosts {
    Path file(String address) throws IOException;
  }

  private final AwsSettings settings;
  private final Parts parts;
  private final AwsMarket market;
  private final Map<String, Life> lives = new HashMap<>();
  private final Map<Integer, Double> waits = new HashMap<>();
  private @Nullable Rentals rentals;
  private @Nullable RentedHosts hosts;
  private @Nullable Consumer<News> news;
  private boolean parting;
  private long pricedMs;

  /** Creates a cloud for one run. */
  public AwsCloud(AwsSettings settings, Parts parts) {
    this.settings = settings;
    this.parts = parts;
    this.market = new AwsMarket(settings, parts.clock());
  }

  /** Creates a cloud for one run that rents from AWS, and reaches its machines by ssh. */
  public static AwsCloud of(AwsSettings settings, Timers timers, Clock clock) {
    SshSettings ssh =
        new SshSettings(
            settings.run(),
            settings.owner(),
            List.of(),
            settings.ceiling().terms().nodeSeconds(),
            settings.shipment());
    HostsOf hosts =
        (folder, key, known) ->
            SshRentedHosts.of(
                folder,
                ssh,
                timers,
                (order, at) ->
                    new SshHost(
                        order.node(),
                        new SshHost.Login(
                            at.ssh(),
                            settings.login().user(),
                            SSH_PORT,
                            key.toString(),
                            known.file(at.ssh()).toString()),
                        at.nodes(),
                        UserData.FOLDER,
                        settings.pools().get(order.pool()).instanceType(),
                        0));
    AwsWire wire = SignedWire.of(settings.access());
    return new AwsCloud(settings, new Parts(wire, hosts, timers, clock, RentalSteps.NONE));
  }

  @Override
  public String name() {
    return "aws";
  }

  @Override
  public int limit() {
    return settings.most();
  }

  @Override
  public String prepare(Path folder) throws IOException {
    Path run = folder.toAbsolutePath().normalize();
    Rentals made = new Rentals(settings, new Ec2(parts.wire()), run, parts.clock(), parts.steps());
    rentals = made;
    hosts = parts.hosts().of(run, made.keys().login(), made.keys()::knownHosts);
    return LOOPBACK;
  }

  @Override
  public boolean isHere() {
    return false;
  }

  @Override
  public MarketView market() {
    return market;
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> listener) throws IOException {
    news = listener;
    market.begin(tenancy.marketMs());
    pricedMs = parts.clock().millis();
    for (Tenancy.Held held : tenancy.held()) {
      order(held.order());
    }
    look();
    offer();
  }

  /** Lets the owner order again at intervals: a pool may have nodes again. */
  private void offer() {
    if (news != null) {
      report(new News.MarketRead());
      parts.timers().after(OFFER_MICROS, this::offer);
    }
  }

  // --- Orders ---

  @Override
  public void order(Order order) {
    Life life = lives.get(order.node());
    if (life == null) {
      lives.put(order.node(), new Life.Ordering());
      send(order);
    } else if (life instanceof Life.Held held) {
      report(new News.Granted(order.node(), held.handle()));
    } else if (life instanceof Life.Over over) {
      report(over.gone());
    }
    // Else the answer is on its way.
  }

  private void send(Order order) {
    Rentals own = rentals();
    aside(
        () -> {
          Rentals.Answer answer = own.order(order);
          later(0, () -> answered(order, answer));
        },
        () -> {
          if (lives.get(order.node()) instanceof Life.Ordering) {
            send(order);
          }
        });
  }

  private void answered(Order order, Rentals.Answer answer) {
    String node = order.node();
    if (!(lives.get(node) instanceof Life.Ordering)) {
      // Its end was asked for meanwhile, and is on its way.
      return;
    }
    if (answer instanceof Rentals.Answer.Granted granted) {
      waits.remove(order.pool());
      lives.put(node, new Life.Held(order, granted.handle(), false));
      report(new News.Granted(node, granted.handle()));
      step(RentalStep.GRANT_REPORTED, node);
    } else if (answer instanceof Rentals.Answer.Refused refused) {
      lives.remove(node);
      double wait = waits.getOrDefault(order.pool(), FIRST_WAIT_SECONDS);
      waits.put(order.pool(), Math.min(LONGEST_WAIT_SECONDS, 2 * wait));
      report(new News.Refused(node, refused.why(), refused.reason(), wait));
    } else if (answer instanceof Rentals.Answer.Gone gone) {
      over(node, gone.gone());
    } else {
      lives.put(node, new Life.Ending(null, "the run does not need it", false));
      end(node, "the run does not need it");
    }
  }

  // --- Ends ---

  @Override
  public void end(String node, String reason) {
    Life life = lives.get(node);
    if (life instanceof Life.Over over) {
      report(over.gone());
    } else if (!(life instanceof Life.Ending ending)) {
      terminate(node, life instanceof Life.Held held ? held.handle() : null, reason);
    } else if (!ending.asking()) {
      terminate(node, ending.handle(), ending.reason());
    }
  }

  private void terminate(String node, @Nullable String handle, String reason) {
    boolean first = lives.get(node) instanceof Life.Held;
    lives.put(node, new Life.Ending(handle, reason, true));
    Rentals own = rentals();
    RentedHosts ways = Objects.requireNonNull(hosts);
    aside(
        () -> {
          if (first) {
            fetch(ways, node);
          }
          Rentals.Answer answer = own.end(node, reason);
          String found = handleOf(own, node);
          later(0, () -> asked(node, found, reason, answer));
        },
        () -> {
          // Nothing confirms the end, so the owner asks again.
          if (lives.get(node) instanceof Life.Ending) {
            lives.put(node, new Life.Ending(handle, reason, false));
          }
        });
  }

  /** Brings the node's logs; its machine ends whether they came or not. */
  private static void fetch(RentedHosts ways, String node) {
    try {
      ways.fetch(node);
    } catch (IOException e) {
      // The machine does not answer.
    }
  }

  private static @Nullable String handleOf(Rentals rentals, String node) throws IOException {
    Account.Granted granted = rentals.ledger().account(node).granted();
    return granted == null ? null : granted.handle();
  }

  private void asked(String node, @Nullable String handle, String reason, Rentals.Answer answer) {
    if (!(lives.get(node) instanceof Life.Ending)) {
      return;
    }
    if (answer instanceof Rentals.Answer.Gone gone) {
      over(node, gone.gone());
    } else {
      lives.put(node, new Life.Ending(handle, reason, false));
    }
  }

  private void over(String node, Account.Gone gone) {
    Objects.requireNonNull(hosts).leave(node);
    News.Gone said = new News.Gone(node, News.Cause.valueOf(gone.cause()), gone.reason());
    lives.put(node, new Life.Over(said));
    report(said);
    step(RentalStep.GONE_REPORTED, node);
  }

  // --- What EC2 says of the machines ---

  private void look() {
    if (news == null) {
      return;
    }
    Map<String, String> handles = new TreeMap<>();
    lives.forEach(
        (node, life) -> {
          String handle =
              life instanceof Life.Held held
                  ? held.handle()
                  : life instanceof Life.Ending ending ? ending.handle() : null;
          if (handle != null) {
            handles.put(node, handle);
          }
        });
    endAgain();
    Rentals own = rentals();
    aside(
        () -> {
          Map<String, Instance> found = own.look(handles);
          Map<String, Account.Gone> gone = new TreeMap<>();
          for (String node : handles.keySet()) {
            Instance instance = found.get(node);
            if (instance == null ? own.isForgotten(node) : instance.isTerminated()) {
              gone.put(node, own.settle(node, instance));
            }
          }
          List<Account> accounts = own.ledger().accounts();
          later(0, () -> looked(found, gone, accounts));
        },
        () -> {});
    readPrices(own);
    parts.timers().after(LOOK_MICROS, this::look);
  }

  /** Repeats the ends that were not answered. */
  private void endAgain() {
    Map<String, Life> now = new TreeMap<>(lives);
    now.forEach(
        (node, life) -> {
          if (life instanceof Life.Ending ending && !ending.asking()) {
            terminate(node, ending.handle(), ending.reason());
          }
        });
  }

  private void looked(
      Map<String, Instance> found, Map<String, Account.Gone> gone, List<Account> accounts) {
    gone.forEach(
        (node, bill) -> {
          if (!(lives.get(node) instanceof Life.Over)) {
            over(node, bill);
          }
        });
    found.forEach(this::seen);
    Ceiling ceiling = settings.ceiling();
    long now = parts.clock().millis();
    long spent = Ledger.micros(accounts);
    List<Ceiling.Cost> costs = Rentals.costs(accounts);
    if (!parting && ceiling.isNear(spent, costs, now)) {
      part(ceiling.partingSeconds(spent, costs, now));
    }
  }

  private void seen(String node, Instance instance) {
    if (lives.get(node) instanceof Life.Held held
        && !held.seen()
        && instance.isRunning()
        && !instance.address().isEmpty()) {
      step(RentalStep.MACHINE_SEEN, node);
      lives.put(node, new Life.Held(held.order(), held.handle(), true));
      RentedHosts.At at = new RentedHosts.At(instance.address(), instance.privateAddress());
      Objects.requireNonNull(hosts).bring(held.order(), at, new Nodes());
      step(RentalStep.NODE_STARTED, node);
    }
  }

  /** Takes what happens to nodes. */
  private final class Nodes implements RentedHosts.Listener {

    @Override
    public void reachable(String node, InetSocketAddress address, InetSocketAddress proxy) {
      if (lives.get(node) instanceof Life.Held) {
        step(RentalStep.NODE_REACHED, node);
        report(new News.Reachable(node, address, proxy));
      }
    }

    @Override
    public void ended(String node, String why) {
      if (lives.get(node) instanceof Life.Held held) {
        terminate(node, held.handle(), why);
      }
    }
  }

  /** Gives all machines back before the ceiling: their nodes get a notice first. */
  private void part(long lead) {
    parting = true;
    Ceiling ceiling = settings.ceiling();
    String why = "the ceiling of $%.2f is near".formatted(ceiling.micros() / 1e6);
    if (parts.clock().millis() + 2000 * ceiling.terms().partSeconds() >= ceiling.untilMs()) {
      why = "the run's time is over";
    }
    String reason = why;
    List<String> held = new ArrayList<>();
    lives.forEach(
        (node, life) -> {
          if (!(life instanceof Life.Over)) {
            held.add(node);
            report(new News.Noticed(node, lead, reason));
          }
        });
    later(
        lead * 1_000_000,
        () -> {
          held.forEach(node -> end(node, reason));
          report(new News.Closed(reason));
        });
  }

  private void readPrices(Rentals own) {
    long now = parts.clock().millis();
    if (now - pricedMs < PRICES_MS) {
      return;
    }
    pricedMs = now;
    aside(
        () -> {
          Map<Integer, Long> prices = own.prices();
          later(0, () -> priced(prices));
        },
        () -> {});
  }

  private void priced(Map<Integer, Long> prices) {
    prices.forEach(
        (pool, micros) -> {
          if (market.price(pool, micros)) {
            report(new News.Priced(pool, micros));
          }
        });
  }

  // --- The rest ---

  private interface Blocking {
    void run() throws IOException;
  }

  /** Runs something that blocks; after a failure the other task runs a little later. */
  private void aside(Blocking task, Runnable afterFailure) {
    parts
        .timers()
        .aside(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                later(AGAIN_MICROS, afterFailure);
              }
            });
  }

  private void later(long micros, Runnable task) {
    parts
        .timers()
        .after(
            micros,
            () -> {
              if (news != null) {
                task.run();
              }
            });
  }

  private void step(RentalStep step, String node) {
    parts.steps().reached(step, node);
  }

  private Rentals rentals() {
    return Objects.requireNonNull(rentals, "The cloud is not prepared.");
  }

  private void report(News fact) {
    parts
        .timers()
        .after(
            0,
            () -> {
              Consumer<News> listener = news;
              if (listener != null) {
                listener.accept(fact);
              }
            });
  }

  @Override
  public void close() {
    news = null;
    if (hosts != null) {
      hosts.close();
    }
    boolean over = lives.values().stream().allMatch(Life.Over.class::isInstance);
    if (rentals != null && over) {
      try {
        boolean none = rentals.ledger().accounts().stream().noneMatch(Account::mayCost);
        if (none) {
          rentals.deleteGroup();
        }
      } catch (IOException e) {
        // The group costs nothing; leftovers shows it.
      }
    }
  }
}
