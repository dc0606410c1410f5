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
  private static final long START_MS = 1_800_000_000_000L;
  private static final int SAMPLES_A_STEP = 1024;

  private final Path folder;
  private final EventLog log;
  private final List<String> members = new ArrayList<>();
  private final Set<String> training = new HashSet<>();
  private long atMs = START_MS;
  private long generation;
  private long step;
  private int nodes;

  private SampleRun(Path folder, EventLog log) {
    this.folder = folder;
    this.log = log;
  }

  /** Makes the folder of a run that has just started. */
  public static SampleRun start(Path folder, String... command) throws IOException {
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
    SampleRun run = new SampleRun(folder, EventLog.open(folder.resolve("events.jsonl")));
    run.add(new Event.Started(name, 1, 1, 0, 20_000));
    return run;
  }

  /** Writes an event, now. */
  public SampleRun add(Event event) {
    try {
      log.append(new Logged(atMs, atMs - START_MS, event));
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

  /** Writes a log of many nodes and events: half the nodes are lost and replaced in turn. */
  public static void large(Path folder, int nodes, int events) throws IOException {
    try (SampleRun run = start(folder)) {
      int places = 4;
      for (int place = 0; place < places; place++) {
        run.rent(nodes / places, place, "aws/us-east-1/use1-az%d g5.xlarge".formatted(place + 1));
      }
      run.form();
      int rounds = nodes / 2;
      int steps = (events - 8 * nodes) / rounds - 2 * nodes;
      for (int round = 0; round < rounds; round++) {
        run.train(Math.max(1, steps), 1);
        run.lose("taken by the market");
        run.rent(
            1, round % places, "aws/us-east-1/use1-az%d g5.xlarge".formatted(round % places + 1));
        run.form();
      }
    }
  }

  /** The folder of the run. */
  public Path folder() {
    return folder;
  }

  /** The hours that have passed. */
  public double hours() {
    return (atMs - START_MS) / (double) HOUR_MS;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
