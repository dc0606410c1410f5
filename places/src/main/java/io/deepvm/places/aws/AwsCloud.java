package io.deepvm.places.aws;

import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ssh.RentedHosts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Machines of EC2, one instance a node. Whatever may cost money is in the ledger before it exists,
 * and stays an obligation until EC2 says that it is terminated.
 */
public final class AwsCloud implements Cloud {

  private static final String LOOPBACK = "127.0.0.1";
  private static final long LOOK_MICROS = 3_000_000;
  private static final long OFFER_MICROS = 10_000_000;
  private static final long ASKED_AGAIN_MS = 10_000;
  private static final double FIRST_WAIT_SECONDS = 30;
  private static final double LONGEST_WAIT_SECONDS = 900;

  private final AwsSettings settings;
  private final AwsParts parts;
  private final AwsMarket market;
  private final Map<String, Life> lives = new HashMap<>();
  private final Map<Integer, Double> waits = new HashMap<>();
  private final OwnerThread owner;
  private @Nullable Rentals rentals;
  private @Nullable RentedHosts hosts;
  private @Nullable CeilingWatch ceiling;

  AwsCloud(AwsSettings settings, AwsParts parts) {
    this.settings = settings;
    this.parts = parts;
    this.market = new AwsMarket(settings, parts.clock());
    this.owner = new OwnerThread(parts.timers(), new Random(settings.run().hashCode()));
  }

  /** Creates a cloud for one run that rents from AWS, and reaches its machines by ssh. */
  public static AwsCloud of(AwsSettings settings, Timers timers, Clock clock) {
    return new AwsCloud(settings, AwsParts.of(settings, timers, clock));
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
    AwsAccount.require(made);
    RentedHosts ways = parts.hosts().of(run, made.keys().login(), made.keys()::knownHosts);
    hosts = ways;
    ceiling = new CeilingWatch(settings.ceiling(), made.leases(), ways, owner, new Machines());
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
    owner.open(listener);
    market.begin(tenancy.marketMs());
    for (Tenancy.Held held : tenancy.held()) {
      order(held.order());
    }
    look();
    ceiling().look();
    new PriceWatch(rentals(), market, owner).begin();
    offer();
  }

  /** Lets the owner order again at intervals: a pool may have nodes again. */
  private void offer() {
    owner.report(new News.MarketRead());
    owner.later(OFFER_MICROS, this::offer);
  }

  // --- Orders ---

  @Override
  public void order(Order order) {
    Life life = lives.get(order.node());
    if (life == null && ceiling().isParting()) {
      owner.report(
          new News.Refused(
              order.node(), News.Refusal.PRICE, ceiling().reason(), FIRST_WAIT_SECONDS));
    } else if (life == null) {
      lives.put(order.node(), new Life.Ordering());
      ceiling().wanted(order.pool());
      send(order);
    } else if (life instanceof Life.Held held) {
      owner.report(new News.Granted(order.node(), held.handle()));
    } else if (life instanceof Life.Over over) {
      owner.report(over.gone());
    }
    // Else the answer is on its way.
  }

  private void send(Order order) {
    Rentals own = rentals();
    owner.aside(
        () -> {
          Rentals.Answer answer = own.order(order);
          owner.later(0, () -> answered(order, answer));
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
      ceiling().priced(order.pool(), false);
      lives.put(node, new Life.Held(order, granted.handle(), false));
      owner.report(new News.Granted(node, granted.handle()));
      step(RentalStep.GRANT_REPORTED, node);
    } else if (answer instanceof Rentals.Answer.Refused refused) {
      lives.remove(node);
      double wait = waits.getOrDefault(order.pool(), FIRST_WAIT_SECONDS);
      waits.put(order.pool(), Math.min(LONGEST_WAIT_SECONDS, 2 * wait));
      owner.report(new News.Refused(node, refused.why(), refused.reason(), wait));
    } else if (answer instanceof Rentals.Answer.TooDear dear) {
      lives.remove(node);
      ceiling().priced(order.pool(), true);
      owner.report(
          new News.Refused(
              node,
              News.Refusal.PRICE,
              "one more machine at $%.4f/h could pass the ceiling of $%.2f"
                  .formatted(dear.microsPerHour() / 1e6, settings.ceiling().micros() / 1e6),
              FIRST_WAIT_SECONDS));
    } else if (answer instanceof Rentals.Answer.Gone gone) {
      over(node, gone.gone());
    } else {
      String reason = "its order was not answered in time";
      lives.put(node, new Life.Ending(null, reason, 0));
      end(node, reason);
    }
  }

  // --- Ends ---

  @Override
  public void end(String node, String reason) {
    Life life = lives.get(node);
    if (life instanceof Life.Over over) {
      owner.report(over.gone());
    } else if (!(life instanceof Life.Ending ending)) {
      terminate(node, life instanceof Life.Held held ? held.handle() : null, reason);
    } else if (parts.clock().millis() >= ending.againMs()) {
      terminate(node, ending.handle(), ending.reason());
    }
  }

  private void terminate(String node, @Nullable String handle, String reason) {
    boolean first = lives.get(node) instanceof Life.Held;
    lives.put(node, new Life.Ending(handle, reason, Long.MAX_VALUE));
    Rentals own = rentals();
    RentedHosts ways = Objects.requireNonNull(hosts);
    ways.leave(node);
    owner.aside(
        () -> {
          own.owe(node, reason);
          if (first) {
            fetch(ways, node);
          }
          Rentals.Answer answer = own.end(node, reason);
          String found = handleOf(own, node);
          owner.later(0, () -> asked(node, found, reason, answer));
        },
        () -> {
          // Nothing confirms the end, so it is asked for again.
          if (lives.get(node) instanceof Life.Ending) {
            lives.put(node, new Life.Ending(handle, reason, 0));
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
      long again = parts.clock().millis() + ASKED_AGAIN_MS;
      lives.put(node, new Life.Ending(handle, reason, again));
    }
  }

  private void over(String node, Account.Gone gone) {
    Objects.requireNonNull(hosts).leave(node);
    News.Gone said = new News.Gone(node, News.Cause.valueOf(gone.cause()), gone.reason());
    lives.put(node, new Life.Over(said));
    owner.report(said);
    step(RentalStep.GONE_REPORTED, node);
  }

  // --- What EC2 says of the machines ---

  private void look() {
    Map<String, String> handles = new TreeMap<>();
    lives.forEach(
        (node, life) -> {
          String handle = life.listedHandle();
          if (handle != null) {
            handles.put(node, handle);
          }
        });
    endAgain();
    Rentals own = rentals();
    owner.aside(
        () -> {
          Map<String, Instance> found = own.look(handles);
          Map<String, Account.Gone> gone = new TreeMap<>();
          Set<String> missing = new TreeSet<>();
          for (String node : handles.keySet()) {
            Instance instance = found.get(node);
            if (instance == null ? own.isForgotten(node) : instance.isTerminated()) {
              gone.put(node, own.settle(node, instance));
            } else if (instance == null && own.isMissing(node)) {
              missing.add(node);
            }
          }
          owner.later(0, () -> looked(found, gone, missing));
        },
        () -> {});
    owner.later(LOOK_MICROS, this::look);
  }

  /** Repeats the ends that were not answered. */
  private void endAgain() {
    new TreeMap<>(lives)
        .forEach(
            (node, life) -> {
              if (life instanceof Life.Ending ending) {
                end(node, ending.reason());
              }
            });
  }

  private void looked(
      Map<String, Instance> found, Map<String, Account.Gone> gone, Set<String> missing) {
    gone.forEach(
        (node, bill) -> {
          if (!(lives.get(node) instanceof Life.Over)) {
            over(node, bill);
          }
        });
    found.forEach(this::seen);
    for (String node : missing) {
      if (lives.get(node) instanceof Life.Held) {
        end(node, "EC2 does not list it any more");
      }
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
        owner.report(new News.Reachable(node, address, proxy));
      }
    }

    @Override
    public void ended(String node, String why) {
      if (lives.get(node) instanceof Life.Held held) {
        terminate(node, held.handle(), why);
      }
    }
  }

  /** The nodes, for the ceiling. */
  private final class Machines implements CeilingWatch.Nodes {

    @Override
    public Set<String> notice(long leadSeconds, String reason) {
      Set<String> held = new TreeSet<>();
      lives.forEach(
          (node, life) -> {
            if (!(life instanceof Life.Over)) {
              held.add(node);
              owner.report(new News.Noticed(node, leadSeconds, reason));
            }
          });
      return held;
    }

    @Override
    public void end(String node, String reason) {
      if (lives.containsKey(node)) {
        AwsCloud.this.end(node, reason);
      }
    }
  }

  // --- The rest ---

  private void step(RentalStep step, String node) {
    parts.steps().reached(step, node);
  }

  private Rentals rentals() {
    return Objects.requireNonNull(rentals, "The cloud is not prepared.");
  }

  private CeilingWatch ceiling() {
    return Objects.requireNonNull(ceiling, "The cloud is not prepared.");
  }

  @Override
  public void close() {
    owner.close();
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
