package io.deepvm.bench;

import io.deepvm.catalog.Place;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.AgentContact;
import io.deepvm.cluster.agent.Child;
import io.deepvm.cluster.agent.Launcher;
import io.deepvm.cluster.agent.NodeAgent;
import io.deepvm.cluster.agent.NodeStart;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.link.CoordinatorLink;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.shell.RunThread;
import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import io.deepvm.simulator.policy.InPlace;
import io.deepvm.transport.Security;
import io.deepvm.transport.TokenFile;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * How long the coordinator needs to form generations of many nodes. The agents and everything
 * between them and the coordinator are real but run in this process; their training processes only
 * say that they have formed.
 *
 * <p>Arguments: nodes (200), rounds of losing one (20).
 */
public final class CoordinatorBenchmark {

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final List<Logged> events = new ArrayList<>();

  private CoordinatorBenchmark() {}

  public static void main(String[] args) throws Exception {
    int nodes = args.length > 0 ? Integer.parseInt(args[0]) : 200;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    new CoordinatorBenchmark().measure(nodes, rounds);
    System.exit(0);
  }

  private void measure(int nodes, int rounds) throws Exception {
    Path folder = Files.createTempDirectory("deepvm-coordinator");
    Here provider = new Here(nodes + rounds);
    long began = System.nanoTime();
    List<Long> lost = new ArrayList<>();
    List<Long> joined = new ArrayList<>();
    try (Run run = Run.start(folder.resolve("run"), spec(), setting(nodes, provider))) {
      int at = await(0, e -> e instanceof Event.Generation g && g.members().size() == nodes);
      at = await(at, CoordinatorBenchmark::trains);
      System.out.printf(
          "%d nodes were rented, joined and formed in %d ms%n",
          nodes, ms(began, System.nanoTime()));
      SplittableRandom random = new SplittableRandom(1);
      for (int round = 0; round < rounds; round++) {
        List<String> members = run.status().members();
        String victim = members.get(random.nextInt(members.size()));
        long killed = System.currentTimeMillis();
        provider.end(victim, "the benchmark takes it");
        at = await(at + 1, e -> e instanceof Event.Generation g && g.members().size() == nodes - 1);
        at = await(at, CoordinatorBenchmark::trains);
        lost.add(atMs(at) - killed);
        int ready = await(at, e -> e instanceof Event.Generation g && g.members().size() == nodes);
        at = await(ready, CoordinatorBenchmark::trains);
        joined.add(atMs(at) - atMs(ready));
      }
      System.out.println("a node is lost: ms until all survivors have formed " + shown(lost));
      System.out.println("a node joins: ms until all members have formed " + shown(joined));
    }
  }

  private static boolean trains(Event event) {
    return event instanceof Event.RunTurned turned && turned.to() == RunPhase.TRAINING;
  }

  private static String shown(List<Long> figures) {
    List<Long> sorted = new ArrayList<>(figures);
    Collections.sort(sorted);
    return "median %d, most %d, of %d"
        .formatted(sorted.get(sorted.size() / 2), sorted.get(sorted.size() - 1), sorted.size());
  }

  private static long ms(long from, long to) {
    return (to - from) / 1_000_000;
  }

  private static RunSpec spec() {
    Work work =
        new Work(
            List.of("simulated"),
            Work.Kind.MEMBER,
            Map.of(),
            "",
            0,
            "",
            new Work.Timeouts(10, 60, 5, 30, 60));
    return RunSpec.of("bench", work).withPatience(120, 0.3, 120, 1);
  }

  private Setting setting(int nodes, Here here) {
    return new Setting(
        here::cloud,
        1,
        Setting.steadyScenario(nodes),
        new InPlace(new int[] {nodes}, new int[] {0}),
        null,
        this::hear);
  }

  private synchronized void hear(Logged logged) {
    events.add(logged);
    notifyAll();
  }

  private synchronized long atMs(int index) {
    return events.get(index).atMs();
  }

  private synchronized int await(int from, Predicate<Event> which) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    int i = from;
    while (true) {
      for (; i < events.size(); i++) {
        if (which.test(events.get(i).event())) {
          return i;
        }
      }
      long left = ms(System.nanoTime(), until);
      if (left <= 0) {
        throw new IllegalStateException("It did not happen within " + PATIENCE);
      }
      wait(left);
    }
  }

  /** Nodes that are objects of this process. */
  private static final class Here implements Cloud {

    private static final List<Pool> POOLS =
        List.of(new Pool(new Place("local", "local", null), "local"));

    private final int limit;
    private final Map<String, NodeAgent> agents = new ConcurrentHashMap<>();
    private final ExecutorService starters = Executors.newFixedThreadPool(8);
    private Timers timers = new RunThread();
    private Consumer<News> news = unused -> {};

    Here(int limit) {
      this.limit = limit;
    }

    Cloud cloud(Timers of, Clock clock) {
      timers = of;
      return this;
    }

    @Override
    public String name() {
      return "here";
    }

    @Override
    public int limit() {
      return limit;
    }

    @Override
    public String prepare(Path folder) {
      return "127.0.0.1";
    }

    @Override
    public MarketView market() {
      return new Free(limit);
    }

    @Override
    public void open(Tenancy tenancy, Consumer<News> listener) {
      news = listener;
      report(new News.MarketRead());
    }

    private void report(News fact) {
      timers.after(0, () -> news.accept(fact));
    }

    @Override
    public void order(io.deepvm.places.Order order) {
      report(new News.Granted(order.node(), order.node()));
      starters.execute(() -> start(order));
    }

    private void start(io.deepvm.places.Order order) {
      try {
        Map<String, String> env = new HashMap<>(order.launch().environment());
        env.putAll(
            Map.of(
                "DEEPVM_HOST", "127.0.0.1",
                "DEEPVM_FOLDER", System.getProperty("java.io.tmpdir"),
                "DEEPVM_TYPE", "local",
                "DEEPVM_SPEED", "1",
                "DEEPVM_READY_AT_MS", "0"));
        NodeStart start = NodeStart.of(env);
        AgentContact.Dial dial = (AgentContact.Dial) start.contact();
        CoordinatorLink link =
            CoordinatorLink.dial(
                start.run(),
                start.node(),
                new InetSocketAddress(dial.host(), dial.port()),
                Security.of(new TokenFile(Path.of(start.tokenFile()))),
                System::nanoTime);
        String unused = link.awaitWork(PATIENCE);
        NodeAgent agent = new NodeAgent(start, spec().work(), link, new Obedient());
        agents.put(order.node(), agent);
        agent.start();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void end(String node, String reason) {
      NodeAgent agent = agents.remove(node);
      // As when the process of a machine vanishes: its place knows before its session ends.
      report(new News.Gone(node, News.Cause.ENDED, null));
      if (agent != null) {
        starters.execute(() -> release(agent));
      }
    }

    private static void release(NodeAgent agent) {
      agent.close();
      try {
        agent.release();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      starters.shutdown();
    }

    /** A market of one pool that costs nothing. */
    private record Free(int limit) implements MarketView {
      @Override
      public List<Pool> pools() {
        return POOLS;
      }

      @Override
      public double spotUsdPerHour(int pool) {
        return 0;
      }

      @Override
      public double onDemandUsdPerHour(int pool) {
        return 0;
      }

      @Override
      public OptionalInt spotCapacity(int pool) {
        return OptionalInt.of(limit);
      }

      @Override
      public double tickSeconds() {
        return 3600;
      }

      @Override
      public long marketMs() {
        return 0;
      }
    }
  }

  /** Training processes that do as they are told, and nothing else. */
  private static final class Obedient implements Launcher {

    @Override
    public Child launch(
        List<String> command, Map<String, String> environment, int localRank, Listener listener) {
      listener.reported(Lines.of(new Report.Ready(1)));
      return new Child() {
        @Override
        public void order(Order order) {
          if (order instanceof Order.Form form) {
            listener.reported(
                Lines.of(new Report.Formed(form.generation(), 0, Report.Origin.KEPT)));
          }
        }

        @Override
        public void signal(String name) {}

        @Override
        public void stop(String reason, Duration patience) {}

        @Override
        public void kill() {}
      };
    }
  }
}
