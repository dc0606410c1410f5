package io.deepvm.page;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the folder of a run as a coordinator would, event by event, on a clock of its own. */
public final class SampleRun implements AutoCloseable {

  private static final long HOUR_MS = 3_600_000;

  /** When a run starts unless it is said, in milliseconds since 1970. */
  public static final long START_MS = 1_800_000_000_000L;

  private static final int SAMPLES_A_STEP = 1024;

  private final Path folder;
  private final EventLog log;
  private final long startMs;
  private final List<String> members = new ArrayList<>();
  private final Set<String> training = new HashSet<>();
  private long atMs;
  private long generation;
  private long step;
  private int nodes;
  private int written;

  private SampleRun(Path folder, EventLog log, long startMs) {
    this.folder = folder;
    this.log = log;
    this.startMs = startMs;
    this.atMs = startMs;
  }

  /** Makes the folder of a run that has just started. */
  public static SampleRun start(Path folder, String... command) throws IOException {
    return start(folder, START_MS, command);
  }

  /** Makes the folder of a run that started at a moment, in milliseconds since 1970. */
  public static SampleRun start(Path folder, long startMs, String... command) throws IOException {
    Files.createDirectories(folder.resolve("nodes"));
    Work work =
        new Work(
            command.length == 0 ? List.of("python3", "train.py") : List.of(command),
            Work.Kind.COMMAND,
            Map.of(),
            "",
            3,
            "",
            Work.Timeouts.USUAL);
    String name = String.valueOf(folder.getFileName()).replaceAll("[^A-Za-z0-9-]", "x");
    Files.writeString(
        folder.resolve("run.json"), new JsonMapper().writeValueAsString(RunSpec.of(name, work)));
    SampleRun run = new SampleRun(folder, EventLog.open(folder.resolve("events.jsonl")), startMs);
    run.add(new Event.Started(name, 1, 1, 0, 20_000));
    return run;
  }

  /** Writes an event, now. */
  public SampleRun add(Event event) {
    try {
      log.append(new Logged(atMs, atMs - startMs, event));
      written++;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Lets time pass. */
  public SampleRun pass(double seconds) {
    atMs += Math.round(1000 * seconds);
    return this;
  }

  /** Rents nodes of a pool, which get ready half a minute later. */
  public SampleRun rent(int count, int pool, String place) {
    long micros = 900_000 + 50_000L * pool;
    add(new Event.Priced(pool, micros));
    List<String> rented = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String node = "n" + ++nodes;
      rented.add(node);
      add(new Event.Rented(node, Role.WORKER, pool, place, Market.SPOT, micros));
    }
    pass(10);
    rented.forEach(
        node -> {
          add(new Event.Granted(node, "i-" + node));
          add(new Event.NodeTurned(node, NodeState.BOOTING, ""));
        });
    pass(20);
    for (String node : rented) {
      add(new Event.NodeTurned(node, NodeState.READY, ""));
      members.add(node);
    }
    return this;
  }

  /** Forms the next generation of all members, which begin to train. */
  public SampleRun form() {
    add(new Event.RunTurned(RunPhase.FORMING, ""));
    add(new Event.Generation(++generation, members, 0));
    members.stream()
        .filter(training::contains)
        .forEach(node -> add(new Event.NodeTurned(node, NodeState.READY, "")));
    pass(2);
    for (String node : members) {
      training.add(node);
      add(new Event.NodeTurned(node, NodeState.TRAINING, ""));
      add(new Event.Joined(node, generation, step, Report.Origin.PEER));
    }
    return add(new Event.RunTurned(RunPhase.TRAINING, ""));
  }

  /** Makes steps; a checkpoint of every twentieth is durable. */
  public SampleRun train(int steps, double secondsAStep) {
    for (int i = 0; i < steps; i++) {
      pass(secondsAStep);
      step++;
      double loss = 0.5 + 5 / Math.sqrt(1 + step / 40.0) + 0.05 * Math.sin(step * 1.7);
      add(
          new Event.Progress(
              members.get(0), generation, step, step * SAMPLES_A_STEP, loss, 0.8, 0.1, 0, 0));
      if (step % 20 == 0) {
        add(new Event.Saved(members.get(0), step, "REPLICATED", ""));
        add(new Event.Saved(members.get(0), step, "DURABLE", ""));
      }
    }
    return this;
  }

  /** The market takes the last node, after a notice. */
  public SampleRun lose(String reason) {
    String node = members.remove(members.size() - 1);
    add(new Event.NodeTurned(node, NodeState.NOTICED, "notice of 120 s"));
    pass(20);
    add(new Event.NodeTurned(node, NodeState.LOST, reason));
    return add(new Event.Gone(node, "TAKEN"));
  }

  /** Ends the run. */
  public SampleRun finish() {
    add(new Event.RunTurned(RunPhase.STOPPING, "the work is done", RunPhase.FINISHED));
    for (String node : members) {
      add(new Event.NodeTurned(node, NodeState.RELEASED, "the run is over"));
      add(new Event.Gone(node, "RELEASED"));
    }
    return add(new Event.RunTurned(RunPhase.FINISHED, "the work is done"));
  }

  /**
   * Writes a log of many nodes and events: a quarter of the nodes replace others that were lost.
   *
   * @param nodes in all
   * @param events at least; a little more
   */
  public static void large(Path folder, int nodes, int events) throws IOException {
    try (SampleRun run = start(folder)) {
      int places = 4;
      int lost = nodes / 4;
      for (int place = 0; place < places; place++) {
        int more = place < (nodes - lost) % places ? 1 : 0;
        run.rent((nodes - lost) / places + more, place, place(place));
      }
      run.form();
      for (int round = 0; round < lost; round++) {
        int left = lost - round;
        int each = 4 * (nodes - lost) + 20;
        run.train(Math.max(1, (events - run.written) / left - each), 1);
        run.lose("taken by the market");
        run.form();
        run.rent(1, round % places, place(round % places));
        run.form();
      }
      while (run.written < events) {
        run.train(1, 1);
      }
    }
  }

  private static String place(int number) {
    return "aws/us-east-1/use1-az%d g5.xlarge".formatted(number + 1);
  }

  /** How many events there are. */
  public int written() {
    return written;
  }

  /** The folder of the run. */
  public Path folder() {
    return folder;
  }

  /** The hours that have passed. */
  public double hours() {
    return (atMs - startMs) / (double) HOUR_MS;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
