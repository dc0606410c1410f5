package io.deepvm.bench;

import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunListener;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.member.Report;
import io.deepvm.places.local.LocalOptions;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.trainer.TrainerProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Trains on and on while nodes are taken, without a word, until so many are lost: {@code
 * ClusterEndurance [--revocations N] [--seed S]}. A hang is a minute without a step; a step is lost
 * when training goes on before one that was committed while a member lived, or durable; a leak is a
 * process, file or open handle that is left, or memory that grew.
 */
public final class ClusterEndurance implements RunListener {

  private static final int WORKERS = 8;
  private static final double MEAN_LIFE_SECONDS = 15;

  /** Idle for most of a step, so that the cores are there for starting nodes. */
  private static final double SPEED = 0.2;

  private static final String MICRO_BATCH_SECONDS = "0.02";
  private static final Duration SILENCE = Duration.ofMinutes(1);
  private static final int SPARE_HANDLES = 40;
  private static final long SPARE_HEAP = 32 << 20;

  private final int wanted;
  private final Set<String> members = new HashSet<>();
  private final Set<String> holders = new HashSet<>();
  private boolean startsOver;
  private int revocations;
  private int hangs;
  private int lostSteps;
  private long step;
  private long durable;
  private long lastStepAt = System.nanoTime();
  private long heapEarly = -1;

  private ClusterEndurance(int wanted) {
    this.wanted = wanted;
  }

  /** Runs it; exit code 1 when anything but revocations was counted. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int wanted = 1000;
    long seed = 1;
    for (int i = 0; i + 1 < args.length; i += 2) {
      switch (args[i]) {
        case "--revocations" -> wanted = Integer.parseInt(args[i + 1]);
        case "--seed" -> seed = Long.parseLong(args[i + 1]);
        default -> throw new IllegalArgumentException(args[i]);
      }
    }
    System.exit(run(wanted, seed, WORKERS, MEAN_LIFE_SECONDS) ? 0 : 1);
  }

  /**
   * Returns whether nothing hung, nothing was lost and nothing is left.
   *
   * @param meanLifeSeconds of a worker; longer than it takes to start one beside the others
   */
  public static boolean run(int wanted, long seed, int workers, double meanLifeSeconds)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("deepvm-endurance");
    try {
      return new ClusterEndurance(wanted).endure(folder, seed, workers, meanLifeSeconds);
    } finally {
      delete(folder);
    }
  }

  private boolean endure(Path folder, long seed, int workers, double meanLifeSeconds)
      throws IOException, InterruptedException {
    long handles = handles();
    Path job = folder.resolve("job.yaml");
    Files.writeString(
        job,
        """
        name: endurance
        strategy: averaging
        model: {kind: mlp, hidden: [32]}
        data: {kind: generated-images, samples: 1000, noise: 2}
        batch: {micro: 8, target: 48}
        work: {steps: 1000000000}
        optimizer: {kind: sgd, rate: 0.001, momentum: 0.9}
        checkpoint: {folder: saved, every: 10}
        """);
    Work work =
        new Work(
            TrainerProcess.command(job),
            Work.Kind.MEMBER,
            Map.of("DEEPVM_MICRO_BATCH_SECONDS", MICRO_BATCH_SECONDS),
            Files.createDirectories(folder.resolve("checkpoints")).toString(),
            1000,
            "",
            Work.Timeouts.USUAL);
    LocalOptions options = new LocalOptions(workers + 4, 0, 0, Map.of("local", SPEED), null);
    Setting setting =
        Setting.steady(
            options, workers, new Revocations.Hazard(3600 / meanLifeSeconds, 0), seed, this);
    long started = System.nanoTime();
    try (Run run = Run.start(folder.resolve("run"), RunSpec.of("endurance", work), setting)) {
      while (!done() && !run.await(Duration.ofMillis(500)).state().isEnd()) {
        watch();
      }
      run.stop("enough");
      var unused = run.await(Duration.ofSeconds(60));
    }
    int leaks = leaks(folder, handles);
    System.out.printf(
        Locale.ROOT,
        "%d steps in %.0f s, the last durable one is %d%n",
        step,
        (System.nanoTime() - started) / 1e9,
        durable);
    System.out.printf(
        Locale.ROOT,
        "revocations=%d hangs=%d lost_steps=%d leaks=%d%n",
        revocations,
        hangs,
        lostSteps,
        leaks);
    return hangs == 0 && lostSteps == 0 && leaks == 0 && revocations >= wanted;
  }

  private synchronized boolean done() {
    return revocations >= wanted || hangs > 0;
  }

  private synchronized void watch() {
    if (System.nanoTime() - lastStepAt > SILENCE.toNanos()) {
      hangs++;
      System.out.println("No step for " + SILENCE.toSeconds() + " s.");
    }
  }

  @Override
  public synchronized void accept(Logged logged) {
    Event event = logged.event();
    if (event instanceof Event.Generation e) {
      members.clear();
      members.addAll(e.members());
      // when nobody has the state in memory any more, only what was durable must still be there
      startsOver |= e.members().stream().noneMatch(holders::contains);
    } else if (event instanceof Event.NodeTurned e) {
      turned(e);
    } else if (event instanceof Event.Joined e) {
      holders.add(e.node());
      if (e.from() == Report.Origin.CHECKPOINT && e.step() < durable) {
        lostSteps++;
        System.out.println(e.node() + " restored step " + e.step() + ", not " + durable);
      }
    } else if (event instanceof Event.Progress e) {
      lastStepAt = System.nanoTime();
      if (e.step() <= (startsOver ? durable : step)) {
        lostSteps++;
        System.out.println("Step " + e.step() + " was made again after " + step);
      }
      startsOver = false;
      step = e.step();
    } else if (event instanceof Event.Saved e && e.state().equals("DURABLE")) {
      durable = Math.max(durable, e.step());
    }
  }

  private void turned(Event.NodeTurned e) {
    if (e.to() != NodeState.TRAINING && e.to() != NodeState.NOTICED) {
      holders.remove(e.node());
    }
    // while the run is being stopped more may be lost
    if (e.to() == NodeState.LOST && members.remove(e.node()) && revocations < wanted) {
      revocations++;
      if (heapEarly < 0 && revocations >= Math.max(1, wanted / 10)) {
        heapEarly = heap();
      }
      System.out.printf(
          Locale.ROOT,
          "%d: %s, %d members left, step %d%n",
          revocations,
          e.reason(),
          members.size(),
          step);
    }
  }

  private int leaks(Path folder, long handlesBefore) throws IOException, InterruptedException {
    int leaks = 0;
    String mark = "DEEPVM_FOLDER=" + folder.toAbsolutePath();
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (left(mark) > 0 && System.nanoTime() < deadline) {
      Thread.sleep(200);
    }
    long processes = left(mark);
    if (processes > 0) {
      leaks++;
      System.out.println(processes + " processes are left.");
    }
    if (handles() > handlesBefore + SPARE_HANDLES) {
      leaks++;
      System.out.println(handles() + " open handles, before " + handlesBefore);
    }
    if (heapEarly > 0 && heap() > heapEarly + SPARE_HEAP) {
      leaks++;
      System.out.println(heap() + " bytes of heap, early " + heapEarly);
    }
    return leaks;
  }

  private static long left(String mark) {
    return ProcessHandle.allProcesses()
        .filter(process -> environment(process.pid()).contains(mark))
        .count();
  }

  private static String environment(long pid) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(pid), "environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Returns how many files this process has open, apart from those that Java loads classes from.
   */
  private static long handles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(handle -> !target(handle).endsWith(".jar")).count();
    }
  }

  private static String target(Path handle) {
    try {
      return Files.readSymbolicLink(handle).toString();
    } catch (IOException e) {
      return "";
    }
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
