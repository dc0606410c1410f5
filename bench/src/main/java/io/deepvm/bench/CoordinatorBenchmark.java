package io.deepvm.bench;

import io.deepvm.cluster.NodeRequest;
import io.deepvm.cluster.Provider;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Agent;
import io.deepvm.cluster.agent.AgentStart;
import io.deepvm.cluster.agent.Child;
import io.deepvm.cluster.agent.Launcher;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.revocation.Revocations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
        provider.end(victim);
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
    return event instanceof Event.RunTurned turned && turned.to() == RunState.TRAINING;
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

  private Setting setting(int nodes, Provider provider) {
    return Setting.steady(
        provider, nodes, new Revocations.OfMarket(), 1, Clock.systemUTC(), this::hear);
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
  private static final class Here implements Provider {

    private final int limit;
    private final Map<String, Agent> agents = new ConcurrentHashMap<>();
    private final Map<String, Runnable> listeners = new ConcurrentHashMap<>();
    private final ExecutorService starters = Executors.newFixedThreadPool(8);
    private String tokenFile = "";

    Here(int limit) {
      this.limit = limit;
    }

    @Override
    public String coordinatorHost() {
      return "127.0.0.1";
    }

    @Override
    public int limit() {
      return limit;
    }

    @Override
    public void open(RunFolder folder) {
      tokenFile = folder.tokenFile().toString();
    }

    @Override
    public String rent(NodeRequest request, Runnable gone) {
      listeners.put(request.node(), gone);
      starters.execute(() -> start(request));
      return request.node();
    }

    private void start(NodeRequest request) {
      try {
        String token = Files.readString(Path.of(tokenFile)).strip();
        Duration session = Duration.ofMillis(Math.round(request.sessionSeconds() * 1000));
        Keeper keeper = Keeper.connect(request.keeper(), request.run(), token, session, PATIENCE);
        AgentStart start =
            new AgentStart(
                request.run(),
                request.node(),
                request.role(),
                request.keeper(),
                tokenFile,
                "127.0.0.1",
                "/tmp",
                "local",
                1,
                0,
                request.sessionSeconds());
        Agent agent = new Agent(start, spec().work(), keeper, token, new Obedient());
        agents.put(request.node(), agent);
        agent.start();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public boolean adopt(String node, String handle, Runnable gone) {
      return false;
    }

    @Override
    public boolean alive(String node) {
      return agents.containsKey(node);
    }

    @Override
    public void end(String node) {
      Agent agent = agents.remove(node);
      if (agent != null) {
        // As when a machine's process vanishes: who watches it knows before its session ends.
        agent.close();
        Runnable gone = listeners.remove(node);
        if (gone != null) {
          gone.run();
        }
        try {
          agent.release();
        } catch (IOException e) {
          throw new IllegalStateException(e);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public void close() {
      List.copyOf(agents.keySet()).forEach(this::end);
      starters.shutdown();
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
