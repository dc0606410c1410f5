package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.s3.S3Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Trainers of one job and two anchors in processes of their own, and what lies between them. */
final class World implements AutoCloseable {

  static final int ANCHORS = 2;

  /** How many seconds a process may take on a busy machine for what takes it one. */
  static final int PATIENCE = 60;

  private static final int STANDSTILL_SECONDS = 5;

  /** How long a step of 40 ms may take on such a machine, whatever storage does. */
  private static final Duration STEP_LIMIT = Duration.ofSeconds(10);

  private final Path folder;
  private final @Nullable Child[] anchors = new @Nullable Child[ANCHORS];

  /** The trainer's ways to the anchors, and the judge's. */
  private final Relay[] relays = new Relay[ANCHORS];

  private final Relay[] doors = new Relay[ANCHORS];
  private final Gate[] gates = new Gate[ANCHORS];
  private final boolean smallDisk;
  private final ObjectStore store;
  private final S3Tier archive;
  private final Stores stores;
  private final Judge judge;
  private final Witness witness = new Witness();
  private final @Nullable Child[] trainers;
  private long starts;
  private Duration longestStep = Duration.ZERO;

  World(Path folder, int writers, Consumer<String> out) throws IOException, InterruptedException {
    this.folder = folder;
    trainers = new @Nullable Child[writers];
    Files.createDirectories(disk(1));
    smallDisk = runs("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", disk(1).toString());
    store = new ObjectStore();
    archive = ObjectStore.tier(store.port());
    for (int i = 0; i < ANCHORS; i++) {
      relays[i] = new Relay();
      doors[i] = new Relay();
      gates[i] = new Gate(store.port());
    }
    stores = new Stores(doors[0].port(), doors[1].port(), folder.resolve("reserve"));
    judge = new Judge(List.of(stores.memory(), stores.disks()), archive, witness, out);
  }

  private static boolean runs(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the last version that was reported durable. */
  Version durable() {
    return witness.durable();
  }

  /** Returns how many trainers save for the job at once. */
  int writers() {
    return trainers.length;
  }

  /** Returns how long the longest step took of all trainers that were killed. */
  Duration longestStep() {
    return longestStep;
  }

  /** Whether the second anchor's disk is a small file system of its own, which takes root. */
  boolean hasSmallDisk() {
    return smallDisk;
  }

  Judge judge() {
    return judge;
  }

  Relay relay(int number) {
    return relays[number];
  }

  Gate gate(int number) {
    return gates[number];
  }

  /** Returns the folder that an anchor keeps everything in. */
  Path disk(int number) {
    return folder.resolve("anchor-" + number);
  }

  /** Returns the folder of a job's versions on an anchor's disk. */
  Path versions(int number) {
    return disk(number).resolve("versions").resolve(Model.JOB);
  }

  Path reserve() {
    return folder.resolve("reserve").resolve(Model.JOB);
  }

  Child trainer(int number) {
    return Objects.requireNonNull(trainers[number]);
  }

  Child anchor(int number) {
    return Objects.requireNonNull(anchors[number]);
  }

  void startAnchor(int number) throws IOException {
    anchors[number] =
        Child.start(
            AnchorProcess.class,
            folder.resolve("anchor-%d.log".formatted(number)),
            List.of(disk(number), gates[number].port()),
            line -> {});
  }

  /** Waits until an anchor serves, and leads everyone to it. */
  void awaitAnchor(int number) throws IOException, InterruptedException {
    Child anchor = anchor(number);
    if (!anchor.await(PATIENCE, () -> anchor.hasSaid("READY"))) {
      throw new IOException("Anchor %d does not start; see %s.".formatted(number, folder));
    }
    meet();
  }

  /** Leads everyone to the anchors that serve by now. */
  void meet() {
    for (int i = 0; i < ANCHORS; i++) {
      int port = (int) anchor(i).number("READY");
      if (anchor(i).isAlive()) {
        relays[i].target(port);
        doors[i].target(port);
      }
    }
  }

  void killAnchor(int number) throws InterruptedException {
    anchor(number).kill();
    relays[number].target(0);
    doors[number].target(0);
  }

  /** Starts a trainer, which takes over and goes on from the newest checkpoint. */
  void startTrainer(int number) throws IOException {
    Version begun = witness.durable();
    trainers[number] =
        Child.start(
            TrainerProcess.class,
            folder.resolve("trainer-%d.log".formatted(number)),
            List.of(++starts, relays[0].port(), relays[1].port(), folder.resolve("reserve")),
            line -> witness.hear(line, begun));
  }

  /** Kills a trainer and looks at how long its steps took. */
  void killTrainer(int number) throws InterruptedException {
    Child child = trainer(number);
    child.kill();
    Duration longest = child.longestStep();
    longestStep = longestStep.compareTo(longest) < 0 ? longest : longestStep;
    if (longest.compareTo(STEP_LIMIT) > 0) {
      judge.stopped("a step took a trainer %d ms".formatted(longest.toMillis()));
    }
  }

  /** Waits until all trainers have gone on, and one of them has saved if that is asked. */
  void awaitTraining(boolean saving) throws InterruptedException {
    Version saved = witness.durable();
    for (int i = 0; i < trainers.length; i++) {
      Child child = trainer(i);
      long step = child.number("STEP");
      if (!child.await(PATIENCE, () -> child.number("STEP") > step + 1)) {
        stands(i);
      }
    }
    if (saving && !trainer(0).await(PATIENCE, () -> witness.durable().compareTo(saved) > 0)) {
      stands(0);
    }
  }

  private void stands(int number) {
    Child child = trainer(number);
    judge.stopped(
        "trainer %d stands at step %d, durable is %s, alive %b; see %s"
            .formatted(number, child.number("STEP"), witness.durable(), child.isAlive(), folder));
  }

  /**
   * Restores all there is while the trainers stand still; not for long, though: one may hold the
   * lock of a folder in the reserve that the judge waits for.
   */
  void check() throws IOException, InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    pauseTrainers(true);
    Thread release = new Thread(() -> release(done), "release");
    release.setDaemon(true);
    release.start();
    try {
      judge.check();
    } finally {
      done.countDown();
      release.join(TimeUnit.SECONDS.toMillis(PATIENCE));
    }
  }

  private void pauseTrainers(boolean on) throws IOException, InterruptedException {
    for (int i = 0; i < trainers.length; i++) {
      trainer(i).pause(on);
    }
  }

  /** Lets the trainers go on when the check is done, or takes long. */
  private void release(CountDownLatch done) {
    try {
      boolean checked = done.await(STANDSTILL_SECONDS, TimeUnit.SECONDS);
      pauseTrainers(false);
      if (!checked) {
        System.err.println("The check waits for a trainer, which may go on.");
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("The trainers cannot be let go on.", e);
    }
  }

  /** Stops all processes where they are, or lets them go on. */
  void freeze(boolean on) throws IOException, InterruptedException {
    pauseTrainers(on);
    for (int i = 0; i < ANCHORS; i++) {
      anchor(i).pause(on);
    }
  }

  /** Ends all processes at once. */
  void end() throws InterruptedException {
    Stream.concat(Arrays.stream(trainers), Arrays.stream(anchors))
        .filter(Objects::nonNull)
        .forEach(child -> Objects.requireNonNull(child).end());
    if (smallDisk) {
      runs("umount", "-l", disk(1).toString());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      end();
    } catch (InterruptedException e) {
      // the processes end by themselves when this one does
      Thread.currentThread().interrupt();
    }
    for (int i = 0; i < ANCHORS; i++) {
      relays[i].close();
      doors[i].close();
      gates[i].close();
    }
    stores.close();
    archive.close();
    store.close();
  }
}
