package io.deepvm.cluster;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.places.Cloud;
import io.deepvm.places.Timers;
import io.deepvm.places.local.LocalCloud;
import io.deepvm.places.local.LocalOptions;
import io.deepvm.places.recorded.Playback;
import io.deepvm.places.recorded.RecordedCloud;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.policy.InPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A small run's surroundings for tests, and what happened in it so far. */
final class Scene {

  static final Duration PATIENCE = Duration.ofSeconds(90);

  private final List<Logged> events = new ArrayList<>();
  private final List<PrintedLine> printed = Collections.synchronizedList(new ArrayList<>());

  static Work.Timeouts quick() {
    // A busy machine may take long to start the coordinator that follows one that was killed.
    return new Work.Timeouts(6, 40, 2, 20, 27);
  }

  /** Returns a run whose first generation waits for all nodes, however busy the machine is. */
  static RunSpec spec(String name, Work work) {
    return RunSpec.of(name, work).withPatience(60, 0.3, 60, 1);
  }

  /** Returns a member's work: so many steps of so many milliseconds each. */
  static Work member(Path folder, long steps, long ms, String... fault) throws IOException {
    Path checkpoint = Files.createDirectories(folder.resolve("checkpoint"));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FakeMember.class.getName(),
                Long.toString(steps),
                Long.toString(ms)));
    command.addAll(Arrays.asList(fault));
    return new Work(command, Work.Kind.MEMBER, Map.of(), checkpoint.toString(), 3, "", quick());
  }

  /** Returns the work of a shell's script. */
  static Work script(Path folder, int restarts, String script) throws IOException {
    Path checkpoint = Files.createDirectories(folder.resolve("checkpoint"));
    return new Work(
        List.of("sh", "-c", script),
        Work.Kind.COMMAND,
        Map.of(),
        checkpoint.toString(),
        restarts,
        "",
        quick());
  }

  /** Returns a market that stays as it is at the end of the given ticks. */
  static SpotMarket market(String cloud, double tickSeconds, int[]... given) {
    List<Trace> traces = new ArrayList<>();
    for (int p = 0; p < given.length; p++) {
      int[] available = Arrays.copyOf(given[p], given[p].length + 1000);
      Arrays.fill(available, given[p].length, available.length, given[p][given[p].length - 1]);
      double[] prices = new double[available.length];
      Arrays.fill(prices, 1 + p);
      traces.add(
          new Trace(
              new Pool(new Place(cloud, "here", "here-" + p), "local"),
              null,
              Duration.ofMillis(Math.round(tickSeconds * 1000)),
              available,
              100,
              prices,
              4.0));
    }
    return SpotMarket.of(traces);
  }

  static SpotMarket steady(int nodes) {
    return market("local", 3600, new int[] {nodes});
  }

  static Scenario scenario(int pools, int workers, double work) {
    return new Scenario(
        new Throughput.ByCount(new double[] {1, 2, 3, 4}),
        work,
        workers,
        Double.POSITIVE_INFINITY,
        -1,
        0,
        Money.ZERO,
        Recovery.SURVIVORS,
        Checkpointing.none(new DataSize(1_000_000)),
        Startup.USUAL,
        Billing.EXACT,
        new double[pools][pools]);
  }

  /** Makes the place that a market is played over. */
  interface Ground {
    Cloud make(List<Pool> pools, Timers timers, Clock clock);
  }

  /** Returns the setting in which this many nodes are kept. */
  Setting keeping(int nodes, Ground ground) {
    return setting(
        ground,
        steady(nodes),
        1,
        new InPlace(new int[] {nodes}, new int[] {0}),
        new Revocations.OfMarket());
  }

  Setting setting(
      Ground ground, SpotMarket market, double speed, Policy policy, Revocations revocations) {
    Playback playback = new Playback(market, 0, speed, revocations, 7);
    return new Setting(
        (timers, clock) ->
            new RecordedCloud(ground.make(market.pools(), timers, clock), playback, timers, clock),
        speed,
        scenario(market.pools().size(), 4, 1e6),
        policy,
        null,
        listener());
  }

  RunListener listener() {
    return new RunListener() {
      @Override
      public void accept(Logged logged) {
        hear(logged);
      }

      @Override
      public LogRanks logs() {
        return LogRanks.ALL;
      }

      @Override
      public void printed(String node, PrintedLines lines) {
        printed.addAll(lines.lines());
      }
    };
  }

  static Ground local(int limit) {
    return local(LocalOptions.atOnce(limit));
  }

  static Ground local(LocalOptions options) {
    return (pools, timers, clock) -> new LocalCloud(options, pools, timers, clock);
  }

  /** Returns a place that does not end its nodes and does not report that they ended. */
  static Ground deaf(Ground ground) {
    return (pools, timers, clock) -> new Deaf(ground.make(pools, timers, clock));
  }

  private synchronized void hear(Logged logged) {
    events.add(logged);
    notifyAll();
  }

  /** Returns what commands have printed, as the coordinator received it. */
  List<PrintedLine> printed() {
    synchronized (printed) {
      return List.copyOf(printed);
    }
  }

  synchronized List<Logged> events() {
    return List.copyOf(events);
  }

  /** Returns what happened, but for progress, for messages of assertions that fail. */
  synchronized String told() {
    StringBuilder text = new StringBuilder();
    for (Logged logged : events) {
      if (!(logged.event() instanceof Event.Progress || logged.event() instanceof Event.Saved)) {
        text.append(logged.marketMs()).append(' ').append(logged.event()).append('\n');
      }
    }
    return text.toString();
  }

  /** Waits for an event after so many others, and returns its place. */
  synchronized int await(int from, Predicate<Event> which) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    int i = from;
    while (true) {
      for (; i < events.size(); i++) {
        if (which.test(events.get(i).event())) {
          return i;
        }
      }
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError("It did not happen; this did:\n" + told());
      }
      wait(left);
    }
  }

  static Predicate<Event> generationOf(int members) {
    return e -> e instanceof Event.Generation g && g.members().size() == members;
  }

  static Predicate<Event> run(RunPhase state) {
    return e -> e instanceof Event.RunTurned turned && turned.to() == state;
  }

  static Predicate<Event> node(NodeState state) {
    return e -> e instanceof Event.NodeTurned turned && turned.to() == state;
  }

  static Predicate<Event> pastStep(long step) {
    return e -> e instanceof Event.Progress progress && progress.step() > step;
  }

  /** The process that the node's handle names. */
  synchronized ProcessHandle agent(String node) {
    for (Logged logged : events) {
      if (logged.event() instanceof Event.Granted granted && granted.node().equals(node)) {
        String handle = granted.handle();
        return ProcessHandle.of(Long.parseLong(handle.substring(0, handle.indexOf('@'))))
            .orElseThrow(() -> new AssertionError(node + " is gone"));
      }
    }
    throw new AssertionError("There is no " + node);
  }

  /** All processes that belong to the run in the folder and still live. */
  static List<ProcessHandle> left(Path folder) {
    String mark = "DEEPVM_FOLDER=" + folder.toAbsolutePath();
    return ProcessHandle.allProcesses()
        .filter(ProcessHandle::isAlive)
        .filter(process -> environment(process.pid()).contains(mark))
        .toList();
  }

  private static String environment(long pid) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(pid), "environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /** Waits until no process of the run is left. */
  static void awaitNothingLeft(Path folder) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!left(folder).isEmpty()) {
      if (System.nanoTime() > until) {
        throw new AssertionError(
            "These are left: " + left(folder).stream().map(ProcessHandle::info).toList());
      }
      Thread.sleep(20);
    }
  }
}
