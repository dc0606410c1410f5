package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.MemoryTier;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CheckpointEngineTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String JOB = "job";

  @TempDir Path folder;

  private static EngineOptions options() {
    return EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("4MiB"))
        .withAttempts(2, Duration.ofMillis(1))
        .withRetention(new Retention(100, 0));
  }

  private DirectoryTier disk(FaultPoints faults) {
    return new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"), faults);
  }

  private static CheckpointEngine started(EngineOptions options, List<Tier> tiers) {
    CheckpointEngine engine = new CheckpointEngine(options, tiers);
    engine.start();
    return engine;
  }

  private static void assertSaved(Tier tier, long generation, long step, List<TensorSpec> tensors)
      throws IOException {
    List<Slice> found = new ArrayList<>();
    new Checkpoints(List.of(tier), 2)
        .restore(
            new Version(JOB, generation, step),
            manifest -> {
              found.addAll(States.zeros(tensors));
              return found;
            });
    assertEqual(found, States.at(step, tensors));
  }

  private static void assertEqual(List<Slice> found, List<Slice> expected) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i).data().get(0))
          .as(found.get(i).tensor().name())
          .isEqualTo(expected.get(i).data().get(0));
    }
  }

  /** Keeps writers at a point until they are let through. */
  private static final class Gate implements FaultPoints {

    private final FaultPoint at;
    private final Semaphore through = new Semaphore(0);
    private final Semaphore arrived = new Semaphore(0);

    Gate(FaultPoint at) {
      this.at = at;
    }

    @Override
    public void reached(FaultPoint point) throws IOException {
      if (point == at) {
        arrived.release();
        try {
          if (!through.tryAcquire(30, TimeUnit.SECONDS)) {
            throw new IOException("The gate stayed shut.");
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("Interrupted at the gate.", e);
        }
      }
    }

    void awaitArrival() throws InterruptedException {
      assertThat(arrived.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }

    void open() {
      through.release(1_000_000);
    }
  }

  @Test
  void whatIsSavedIsTheStateOfTheStepThoughTrainingGoesOn() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    DirectoryTier disk = disk(gate);
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      List<Slice> live = States.at(1, States.mixed());
      Ticket ticket = engine.save(1, TrainingState.replicated(live), Map.of());
      // changed before the first byte is written, and by another thread all the time after
      States.fill(live, 2);
      gate.awaitArrival();
      AtomicBoolean training = new AtomicBoolean(true);
      CountDownLatch changing = new CountDownLatch(2);
      Thread trainer =
          new Thread(
              () -> {
                for (long step = 3; training.get(); step++) {
                  States.fill(live, step);
                  changing.countDown();
                }
              });
      trainer.start();
      assertThat(changing.await(30, TimeUnit.SECONDS)).isTrue();
      gate.open();
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
      training.set(false);
      trainer.join();
    }
    assertSaved(disk, 1, 1, States.mixed());
  }

  @Test
  void metadataComesBack() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket ticket =
          engine.save(
              7,
              TrainingState.replicated(States.at(7, States.mixed())),
              Map.of("position", "12345", "rng", "[1, 2]"));
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
    }
    Restored restored = new Checkpoints(List.of(disk), 2).restore(JOB, States::targets);
    assertThat(Objects.requireNonNull(restored).manifest().metadata(0))
        .isEqualTo(Map.of("position", "12345", "rng", "[1, 2]"));
  }

  @Test
  void tensorsOverSeveralBuffersAreOneTensor() throws Exception {
    TensorSpec tensor = new TensorSpec("big", DType.F32, List.of(300_000L));
    ByteBuffer whole = States.at(4, List.of(tensor)).get(0).data().get(0);
    List<ByteBuffer> pieces =
        List.of(whole.slice(0, 500_001), whole.slice(500_001, 0), whole.slice(500_001, 699_999));
    DirectoryTier disk = disk(FaultPoints.NONE);
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket ticket =
          engine.save(4, TrainingState.replicated(List.of(Slice.whole(tensor, pieces))), Map.of());
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
    }
    assertSaved(disk, 1, 4, List.of(tensor));
    ByteBuffer first = ByteBuffer.allocateDirect(100_000);
    ByteBuffer second = ByteBuffer.allocateDirect(1_100_000);
    new Checkpoints(List.of(disk), 2)
        .restore(JOB, m -> List.of(Slice.whole(tensor, List.of(first, second))));
    assertThat(first).isEqualTo(whole.slice(0, 100_000));
    assertThat(second).isEqualTo(whole.slice(100_000, 1_100_000));
  }

  @Test
  void aSaveClimbsThroughTheTiers() throws Exception {
    MemoryTier anchor = new MemoryTier("anchor", Level.REPLICATED, DataSize.parse("8MiB"), null);
    DirectoryTier disk = disk(FaultPoints.NONE);
    DirectoryTier archive = new DirectoryTier("archive", Level.ARCHIVED, folder.resolve("archive"));
    List<TicketState> seen = new CopyOnWriteArrayList<>();
    try (CheckpointEngine engine = started(options(), List.of(anchor, disk, archive))) {
      engine.listen((ticket, state) -> seen.add(state));
      Ticket ticket =
          engine.save(3, TrainingState.replicated(States.at(3, States.mixed())), Map.of());
      assertThat(ticket.awaitSettled(LONG)).isTrue();
      assertThat(ticket.state()).isEqualTo(TicketState.ARCHIVED);
      assertThat(ticket.reasons()).isEmpty();
    }
    assertThat(seen).startsWith(TicketState.STAGED).endsWith(TicketState.ARCHIVED);
    for (Tier tier : List.of(anchor, disk, archive)) {
      assertSaved(tier, 1, 3, States.mixed());
    }
  }

  @Test
  void theNewestWinsWhenStorageIsBehind() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    DirectoryTier disk = disk(gate);
    List<TensorSpec> model = States.bytes(1_500_000);
    List<Ticket> tickets = new ArrayList<>();
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      for (int step = 1; step <= 5; step++) {
        tickets.add(engine.save(step, TrainingState.replicated(States.at(step, model)), Map.of()));
        if (step == 1) {
          gate.awaitArrival();
        }
        assertThat(engine.metrics().bytesInFlight()).isLessThanOrEqualTo(4 << 20);
      }
      assertThat(tickets.subList(1, 4))
          .allSatisfy(
              ticket -> {
                assertThat(ticket.state()).isEqualTo(TicketState.SKIPPED);
                assertThat(ticket.settled()).isTrue();
                assertThat(ticket.reasons()).singleElement().asString().contains("took its place");
              });
      gate.open();
      assertThat(tickets.get(0).await(Level.DURABLE, LONG)).isTrue();
      assertThat(tickets.get(4).await(Level.DURABLE, LONG)).isTrue();
      assertThat(engine.metrics().skipped()).isEqualTo(3);
    }
    assertSaved(disk, 1, 1, model);
    assertSaved(disk, 1, 5, model);
  }

  @Test
  void whatIsBeingWrittenIsNeverDropped() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    List<TensorSpec> model = States.bytes(3_000_000);
    try (CheckpointEngine engine = started(options(), List.of(disk(gate)))) {
      Ticket first = engine.save(1, TrainingState.replicated(States.at(1, model)), Map.of());
      gate.awaitArrival();
      Ticket second = engine.save(2, TrainingState.replicated(States.at(2, model)), Map.of());
      assertThat(second.state()).isEqualTo(TicketState.SKIPPED);
      assertThat(second.reasons()).singleElement().asString().contains("[1]");
      assertThat(engine.shouldSave(3)).isFalse();
      gate.open();
      assertThat(first.await(Level.DURABLE, LONG)).isTrue();
    }
  }

  @Test
  void skippingLeavesTheNewOneOut() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    List<TensorSpec> model = States.bytes(1_500_000);
    EngineOptions options = options().withBehind(Behind.SKIP, Duration.ZERO);
    try (CheckpointEngine engine = started(options, List.of(disk(gate)))) {
      Ticket first = engine.save(1, TrainingState.replicated(States.at(1, model)), Map.of());
      Ticket second = engine.save(2, TrainingState.replicated(States.at(2, model)), Map.of());
      Ticket third = engine.save(3, TrainingState.replicated(States.at(3, model)), Map.of());
      assertThat(third.state()).isEqualTo(TicketState.SKIPPED);
      gate.open();
      assertThat(first.await(Level.DURABLE, LONG)).isTrue();
      assertThat(second.await(Level.DURABLE, LONG)).isTrue();
    }
  }

  @Test
  void blockingSavesEveryStep() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    List<TensorSpec> model = States.bytes(1_500_000);
    List<Ticket> tickets = new ArrayList<>();
    try (CheckpointEngine engine =
        started(options().withBehind(Behind.BLOCK, LONG), List.of(disk))) {
      for (int step = 1; step <= 8; step++) {
        tickets.add(engine.save(step, TrainingState.replicated(States.at(step, model)), Map.of()));
      }
    }
    assertThat(tickets).allSatisfy(t -> assertThat(t.state()).isEqualTo(TicketState.DURABLE));
  }

  @Test
  void blockingHasAnEnd() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    List<TensorSpec> model = States.bytes(3_000_000);
    EngineOptions options = options().withBehind(Behind.BLOCK, Duration.ofMillis(20));
    try (CheckpointEngine engine = started(options, List.of(disk(gate)))) {
      engine.save(1, TrainingState.replicated(States.at(1, model)), Map.of());
      gate.awaitArrival();
      Ticket second = engine.save(2, TrainingState.replicated(States.at(2, model)), Map.of());
      assertThat(second.state()).isEqualTo(TicketState.SKIPPED);
      gate.open();
    }
  }

  @Test
  void aFullDiskFailsTheTicketAndNotTraining() throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    DirectoryTier disk =
        disk(
            point -> {
              if (full.get() && point == FaultPoint.MID_SHARD_WRITE) {
                throw new IOException("No space left on device");
              }
            });
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket first =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(first.awaitSettled(LONG)).isTrue();
      assertThat(first.state()).isEqualTo(TicketState.FAILED);
      assertThat(first.reasons()).singleElement().asString().contains("disk", "No space left");
      assertThat(engine.metrics().failed()).isEqualTo(1);
      assertThat(engine.metrics().retries()).isEqualTo(1);
      assertThat(engine.metrics().bytesInFlight()).isZero();
      full.set(false);
      Ticket second =
          engine.save(2, TrainingState.replicated(States.at(2, States.mixed())), Map.of());
      assertThat(second.await(Level.DURABLE, LONG)).isTrue();
    }
    // what the failed save had written is gone
    assertThat(disk.list(JOB)).singleElement().matches(Holding::complete);
    assertSaved(disk, 1, 2, States.mixed());
  }

  @Test
  void anErrorInATierFailsTheTicketAndLeavesTheLane() throws Exception {
    AtomicBoolean scarce = new AtomicBoolean(true);
    DirectoryTier disk =
        disk(
            point -> {
              if (scarce.get() && point == FaultPoint.MID_SHARD_WRITE) {
                throw new OutOfMemoryError("on purpose");
              }
            });
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket first =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(first.awaitSettled(LONG)).isTrue();
      assertThat(first.state()).isEqualTo(TicketState.FAILED);
      assertThat(first.reasons()).singleElement().asString().contains("OutOfMemoryError");
      assertThat(engine.metrics().retries()).isEqualTo(1);
      assertThat(engine.metrics().bytesInFlight()).isZero();
      scarce.set(false);
      Ticket second =
          engine.save(2, TrainingState.replicated(States.at(2, States.mixed())), Map.of());
      assertThat(second.await(Level.DURABLE, LONG)).isTrue();
    }
    assertSaved(disk, 1, 2, States.mixed());
  }

  @Test
  void aTierIsTriedAgainAfterAnErrorInItsCommit() throws Exception {
    AtomicInteger times = new AtomicInteger();
    DirectoryTier disk =
        disk(
            point -> {
              if (point == FaultPoint.BEFORE_MANIFEST && times.incrementAndGet() == 1) {
                throw new OutOfMemoryError("on purpose");
              }
            });
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket ticket =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
    }
    assertSaved(disk, 1, 1, States.mixed());
  }

  @Test
  void anErrorInTheCommitFailsEveryWorker() throws Exception {
    DirectoryTier disk =
        disk(
            point -> {
              if (point == FaultPoint.BEFORE_MANIFEST) {
                throw new OutOfMemoryError("on purpose");
              }
            });
    Assembly assembly = new LocalAssembly(InstantSource.system());
    List<CheckpointEngine> engines = workers(2, List.of(disk), assembly, options());
    List<Ticket> tickets = new ArrayList<>();
    for (CheckpointEngine engine : engines) {
      TrainingState state = TrainingState.replicated(States.at(5, States.mixed()));
      tickets.add(engine.save(5, state, Map.of()));
    }
    for (Ticket ticket : tickets) {
      assertThat(ticket.awaitSettled(LONG)).isTrue();
      assertThat(ticket.state()).isEqualTo(TicketState.FAILED);
    }
    engines.forEach(CheckpointEngine::close);
  }

  /** A tier that cannot be claimed, read or listed the first time. */
  private static final class BrittleTier implements Tier {

    private final Tier real;
    private final AtomicInteger claims = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();

    BrittleTier(Tier real) {
      this.real = real;
    }

    @Override
    public String name() {
      return real.name();
    }

    @Override
    public Level level() {
      return real.level();
    }

    @Override
    public long generation(String job) throws IOException {
      return real.generation(job);
    }

    @Override
    public void claim(String job, Claim claim) throws IOException {
      if (claims.incrementAndGet() == 1) {
        throw new NoClassDefFoundError("on purpose");
      }
      real.claim(job, claim);
    }

    @Override
    public CheckpointWriter write(Version version, UUID owner) throws IOException {
      return real.write(version, owner);
    }

    @Override
    public CheckpointReader read(Version version) throws IOException {
      if (reads.incrementAndGet() == 1) {
        throw new OutOfMemoryError("on purpose");
      }
      return real.read(version);
    }

    @Override
    public List<Holding> list(String job) throws IOException {
      if (lists.incrementAndGet() == 1) {
        throw new StackOverflowError("on purpose");
      }
      return real.list(job);
    }

    @Override
    public boolean delete(Version version) throws IOException {
      return real.delete(version);
    }

    @Override
    public boolean delete(Version version, Claim claim) throws IOException {
      return real.delete(version, claim);
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }

  @Test
  void anErrorInClaimingOrTidyingLeavesTheLane() throws Exception {
    BrittleTier tier =
        new BrittleTier(new MemoryTier("memory", Level.REPLICATED, DataSize.parse("8MiB"), null));
    try (CheckpointEngine engine = started(options(), List.of(tier))) {
      for (int step = 1; step <= 3; step++) {
        Ticket ticket =
            engine.save(step, TrainingState.replicated(States.at(step, States.mixed())), Map.of());
        assertThat(ticket.await(Level.REPLICATED, LONG)).isTrue();
      }
    }
    assertThat(tier.claims).hasValue(1);
    assertThat(tier.lists).hasValueGreaterThan(1);
  }

  @Test
  void anErrorWhileLookingAtWhatIsCommittedLeavesTheLane() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    save(disk, SharedClaim.of(1), 1, 1);
    BrittleTier tier = new BrittleTier(disk);
    try (CheckpointEngine engine = started(options(), List.of(tier))) {
      Ticket first =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(first.awaitSettled(LONG)).isTrue();
      assertThat(first.state()).isEqualTo(TicketState.FAILED);
      Ticket second =
          engine.save(2, TrainingState.replicated(States.at(2, States.mixed())), Map.of());
      assertThat(second.await(Level.DURABLE, LONG)).isTrue();
    }
    assertThat(tier.reads).hasPositiveValue();
  }

  @Test
  void aTierThatRecoversIsTriedAgain() throws Exception {
    AtomicInteger times = new AtomicInteger();
    DirectoryTier disk =
        disk(
            point -> {
              if (point == FaultPoint.AFTER_MANIFEST && times.incrementAndGet() == 1) {
                throw new IOException("The answer was lost");
              }
            });
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket ticket =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
    }
    assertSaved(disk, 1, 1, States.mixed());
  }

  @Test
  void whatSomebodyElseCommittedIsNotTakenForTheSave() throws Exception {
    AtomicInteger times = new AtomicInteger();
    DirectoryTier disk =
        disk(
            point -> {
              if (point == FaultPoint.BEFORE_MANIFEST && times.incrementAndGet() == 1) {
                // another process that was given the same claim is quicker
                save(disk(FaultPoints.NONE), SharedClaim.of(1), 1, 7);
                throw new IOException("The answer was lost");
              }
            });
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      Ticket ticket =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(ticket.awaitSettled(LONG)).isTrue();
      assertThat(ticket.state()).isEqualTo(TicketState.FAILED);
    }
    List<Slice> found = States.zeros(States.mixed());
    new Checkpoints(List.of(disk), 1).restore(new Version(JOB, 1, 1), manifest -> found);
    assertThat(found.get(0).data()).isEqualTo(States.at(7, States.mixed()).get(0).data());
  }

  /** Saves the state of one step as that of another. */
  private static void save(Tier tier, Claim claim, long step, long like) throws IOException {
    EngineOptions other = EngineOptions.of(JOB, claim, DataSize.parse("4MiB"));
    try (CheckpointEngine engine = started(other, List.of(tier))) {
      Ticket ticket =
          engine.save(step, TrainingState.replicated(States.at(like, States.mixed())), Map.of());
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aSessionThatWasTakenOverThinsNothingOut() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    EngineOptions thrifty = options().withRetention(new Retention(1, 0));
    try (CheckpointEngine zombie = started(thrifty, List.of(disk))) {
      Ticket early =
          zombie.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(early.await(Level.DURABLE, LONG)).isTrue();
      for (int step = 2; step <= 4; step++) {
        save(disk, SharedClaim.of(2), step, step);
      }
      Ticket late =
          zombie.save(5, TrainingState.replicated(States.at(5, States.mixed())), Map.of());
      assertThat(late.awaitSettled(LONG)).isTrue();
      assertThat(late.state()).isEqualTo(TicketState.FAILED);
    }
    assertThat(new Checkpoints(List.of(disk), 1).list(JOB).checkpoints())
        .extracting(listed -> listed.version().step())
        .contains(4L, 3L, 2L);
  }

  @Test
  void oneTiersTroubleLeavesTheOthers() throws Exception {
    MemoryTier anchor = new MemoryTier("anchor", Level.REPLICATED, DataSize.parse("8MiB"), null);
    DirectoryTier disk =
        disk(
            point -> {
              throw new IOException("The disk is gone");
            });
    DirectoryTier archive = new DirectoryTier("archive", Level.ARCHIVED, folder.resolve("archive"));
    try (CheckpointEngine engine = started(options(), List.of(anchor, disk, archive))) {
      Ticket ticket =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(ticket.await(Level.REPLICATED, LONG)).isTrue();
      assertThat(ticket.await(Level.DURABLE, LONG)).isFalse();
      assertThat(ticket.awaitSettled(LONG)).isTrue();
      assertThat(ticket.state()).isEqualTo(TicketState.REPLICATED);
      assertThat(ticket.reasons()).singleElement().asString().contains("The disk is gone");
      assertThat(engine.metrics().tierFailures()).isEqualTo(1);
      assertThat(engine.metrics().lastDurableStep()).isNull();
    }
  }

  @Test
  void aStateLargerThanTheArenaFailsWithTheSizes() {
    try (CheckpointEngine engine = started(options(), List.of(disk(FaultPoints.NONE)))) {
      Ticket ticket =
          engine.save(1, TrainingState.replicated(States.at(1, States.bytes(5_000_000))), Map.of());
      assertThat(ticket.state()).isEqualTo(TicketState.FAILED);
      assertThat(ticket.reasons()).singleElement().asString().contains("5 MB", "larger");
    }
  }

  @Test
  void aZombieCannotCommit() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    try (CheckpointEngine old = started(options(), List.of(disk))) {
      Ticket before = old.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(before.await(Level.DURABLE, LONG)).isTrue();
      Claim next = new Checkpoints(List.of(disk), 1).nextGeneration(JOB);
      assertThat(next.generation()).isEqualTo(2);
      EngineOptions newer = EngineOptions.of(JOB, next, DataSize.parse("4MiB"));
      try (CheckpointEngine engine = started(newer, List.of(disk))) {
        Ticket ticket =
            engine.save(2, TrainingState.replicated(States.at(2, States.mixed())), Map.of());
        assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
        Ticket late = old.save(3, TrainingState.replicated(States.at(3, States.mixed())), Map.of());
        assertThat(late.awaitSettled(LONG)).isTrue();
        assertThat(late.state()).isEqualTo(TicketState.FAILED);
        assertThat(late.reasons()).singleElement().asString().contains("generation 2");
      }
    }
    Restored restored = new Checkpoints(List.of(disk), 1).restore(JOB, States::targets);
    assertThat(Objects.requireNonNull(restored).manifest().step()).isEqualTo(2);
  }

  private static List<CheckpointEngine> workers(
      int count, List<Tier> tiers, Assembly assembly, EngineOptions options) {
    List<CheckpointEngine> engines = new ArrayList<>();
    for (int worker = 0; worker < count; worker++) {
      CheckpointEngine engine =
          new CheckpointEngine(
              options.withWorker(worker, count),
              tiers,
              assembly,
              FaultPoints.NONE,
              System::nanoTime);
      engine.start();
      engines.add(engine);
    }
    return engines;
  }

  @Test
  void sevenWorkersSaveAndThreeOrOneRestore() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    MemoryTier anchor = new MemoryTier("anchor", Level.REPLICATED, DataSize.parse("8MiB"), null);
    Assembly assembly = new LocalAssembly(InstantSource.system());
    List<CheckpointEngine> engines = workers(7, List.of(anchor, disk), assembly, options());
    List<Ticket> tickets = new ArrayList<>();
    for (int worker = 0; worker < 7; worker++) {
      // every worker has its own copy of the same state
      TrainingState state = TrainingState.replicated(States.at(5, States.mixed()));
      tickets.add(engines.get(worker).save(5, state, Map.of("rank", "" + worker)));
    }
    for (Ticket ticket : tickets) {
      assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
    }
    engines.forEach(CheckpointEngine::close);

    assertSaved(anchor, 1, 5, States.mixed());
    Checkpoints checkpoints = new Checkpoints(List.of(disk), 2);
    List<Slice> whole = States.zeros(States.mixed());
    Manifest manifest = Objects.requireNonNull(checkpoints.restore(JOB, m -> whole)).manifest();
    assertEqual(whole, States.at(5, States.mixed()));
    assertThat(manifest.shards()).hasSize(7);
    assertThat(manifest.metadata(6)).containsEntry("rank", "6");
    List<Slice> joined = States.zeros(States.mixed());
    for (int worker = 0; worker < 3; worker++) {
      List<Slice> share = StateSharding.share(joined, worker, 3);
      checkpoints.restore(JOB, m -> share);
    }
    assertEqual(joined, States.at(5, States.mixed()));
  }

  @Test
  void shardedStateIsTakenAsItIs() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    Assembly assembly = new LocalAssembly(InstantSource.system());
    List<CheckpointEngine> engines = workers(2, List.of(disk), assembly, options());
    TensorSpec tensor = new TensorSpec("w", DType.F32, List.of(1_000L, 10L));
    Slice whole = States.at(5, List.of(tensor)).get(0);
    Ticket first =
        engines.get(0).save(5, TrainingState.sharded(List.of(whole.cut(0, 30_000))), Map.of());
    Ticket second =
        engines.get(1).save(5, TrainingState.sharded(List.of(whole.cut(30_000, 40_000))), Map.of());
    assertThat(first.await(Level.DURABLE, LONG)).isTrue();
    assertThat(second.await(Level.DURABLE, LONG)).isTrue();
    // a gap is no checkpoint
    Ticket third =
        engines.get(0).save(6, TrainingState.sharded(List.of(whole.cut(0, 20_000))), Map.of());
    Ticket fourth =
        engines.get(1).save(6, TrainingState.sharded(List.of(whole.cut(30_000, 40_000))), Map.of());
    assertThat(third.awaitSettled(LONG)).isTrue();
    assertThat(fourth.awaitSettled(LONG)).isTrue();
    assertThat(third.state()).isEqualTo(TicketState.FAILED);
    assertThat(fourth.state()).isEqualTo(TicketState.FAILED);
    engines.forEach(CheckpointEngine::close);
    assertSaved(disk, 1, 5, List.of(tensor));
    assertThat(new Checkpoints(List.of(disk), 1).list(JOB).checkpoints()).hasSize(1);
  }

  @Test
  void aMissingWorkerEndsTheWait() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    Assembly assembly = new LocalAssembly(InstantSource.system());
    List<CheckpointEngine> engines =
        workers(2, List.of(disk), assembly, options().withCommitTimeout(Duration.ofMillis(50)));
    Ticket alone =
        engines.get(0).save(5, TrainingState.replicated(States.at(5, States.mixed())), Map.of());
    assertThat(alone.awaitSettled(LONG)).isTrue();
    assertThat(alone.state()).isEqualTo(TicketState.FAILED);
    assertThat(alone.reasons()).singleElement().asString().contains("did not come");
    engines.forEach(CheckpointEngine::close);
    assertThat(disk.list(JOB)).isEmpty();
  }

  @Test
  void whatOneWorkerLeavesOutTheOthersNeedNotAwait() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    Assembly assembly = new LocalAssembly(InstantSource.system());
    List<CheckpointEngine> engines = workers(2, List.of(disk), assembly, options());
    TensorSpec tensor = new TensorSpec("w", DType.U8, List.of(5_000_000L));
    Slice whole = States.at(5, List.of(tensor)).get(0);
    Ticket first =
        engines.get(0).save(5, TrainingState.sharded(List.of(whole.cut(0, 100))), Map.of());
    // more than its arena holds
    Ticket second =
        engines.get(1).save(5, TrainingState.sharded(List.of(whole.cut(100, 5_000_000))), Map.of());
    assertThat(second.state()).isEqualTo(TicketState.FAILED);
    assertThat(first.awaitSettled(LONG)).isTrue();
    assertThat(first.state()).isEqualTo(TicketState.FAILED);
    assertThat(first.reasons()).singleElement().asString().contains("Worker 1", "larger");
    engines.forEach(CheckpointEngine::close);
  }

  private static CheckpointEngine started(EngineOptions options, Tier tier, Assembly assembly) {
    CheckpointEngine engine =
        new CheckpointEngine(options, List.of(tier), assembly, FaultPoints.NONE, System::nanoTime);
    engine.start();
    return engine;
  }

  /** Saves on another thread and waits for the return, to which a withdrawal must not matter. */
  private static Ticket saveMeanwhile(CheckpointEngine engine, long step, List<TensorSpec> model)
      throws Exception {
    TrainingState state = TrainingState.replicated(States.at(step, model));
    return CompletableFuture.supplyAsync(() -> engine.save(step, state, Map.of()))
        .get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void aSaveThatIsSkippedDoesNotWaitForTheOthersToHearOfIt() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    SlowAssembly assembly = new SlowAssembly();
    List<TensorSpec> model = States.bytes(3_000_000);
    EngineOptions options = options().withBehind(Behind.SKIP, Duration.ZERO);
    try (CheckpointEngine engine = started(options, disk(gate), assembly)) {
      saveMeanwhile(engine, 1, model);
      Ticket second = saveMeanwhile(engine, 2, model);
      assertThat(second.state()).isEqualTo(TicketState.SKIPPED);
      assembly.awaitCall();
      gate.open();
      assembly.open();
    }
    assertThat(assembly.withdrawn()).containsExactly(2L);
  }

  @Test
  void aSaveThatTakesAnothersPlaceDoesNotWaitForTheOthersToHearOfIt() throws Exception {
    Gate gate = new Gate(FaultPoint.MID_SHARD_WRITE);
    SlowAssembly assembly = new SlowAssembly();
    List<TensorSpec> model = States.bytes(1_500_000);
    try (CheckpointEngine engine = started(options(), disk(gate), assembly)) {
      saveMeanwhile(engine, 1, model);
      gate.awaitArrival();
      Ticket second = saveMeanwhile(engine, 2, model);
      Ticket third = saveMeanwhile(engine, 3, model);
      assertThat(second.state()).isEqualTo(TicketState.SKIPPED);
      assembly.awaitCall();
      gate.open();
      assertThat(third.await(Level.DURABLE, LONG)).isTrue();
      assembly.open();
    }
    assertThat(assembly.withdrawn()).containsExactly(2L);
  }

  @Test
  void aNoticeDoesNotWaitForTheOthersToHearWhatIsLeftOut() throws Exception {
    Gate gate = new Gate(FaultPoint.BEFORE_SHARD_FSYNC);
    SlowAssembly assembly = new SlowAssembly();
    List<TensorSpec> model = States.bytes(500_000);
    try (CheckpointEngine engine = started(options(), disk(gate), assembly)) {
      for (int step = 1; step <= 3; step++) {
        engine.save(step, TrainingState.replicated(States.at(step, model)), Map.of());
      }
      gate.awaitArrival();
      FutureTask<NoticeOutcome> notice = new FutureTask<>(() -> engine.notice(LONG));
      new Thread(notice).start();
      assembly.awaitCall();
      gate.open();
      assertThat(notice.get(LONG.toSeconds(), TimeUnit.SECONDS).inTime()).isTrue();
      assembly.open();
    }
    assertThat(assembly.withdrawn()).containsExactly(2L);
  }

  @Test
  void anArchiveThatIsBehindGetsTheNewest() throws Exception {
    Gate gate = new Gate(FaultPoint.BEFORE_MANIFEST);
    DirectoryTier disk = disk(FaultPoints.NONE);
    DirectoryTier archive =
        new DirectoryTier("archive", Level.ARCHIVED, folder.resolve("archive"), gate);
    try (CheckpointEngine engine = started(options(), List.of(disk, archive))) {
      List<Ticket> tickets = new ArrayList<>();
      for (int step = 1; step <= 4; step++) {
        tickets.add(
            engine.save(step, TrainingState.replicated(States.at(step, States.mixed())), Map.of()));
        assertThat(tickets.get(step - 1).await(Level.DURABLE, LONG)).isTrue();
        if (step == 1) {
          gate.awaitArrival();
        }
      }
      gate.open();
      for (Ticket ticket : tickets) {
        assertThat(ticket.awaitSettled(LONG)).isTrue();
      }
      assertThat(tickets)
          .extracting(Ticket::state)
          .containsExactly(
              TicketState.ARCHIVED, TicketState.DURABLE, TicketState.DURABLE, TicketState.ARCHIVED);
      assertThat(tickets.get(1).reasons()).containsExactly("archive: Step 3 took its place.");
    }
  }

  @Test
  void aNoticePutsTheNewestFirst() throws Exception {
    Gate gate = new Gate(FaultPoint.BEFORE_SHARD_FSYNC);
    DirectoryTier disk = disk(gate);
    List<TensorSpec> model = States.bytes(500_000);
    try (CheckpointEngine engine = started(options(), List.of(disk))) {
      List<Ticket> tickets = new ArrayList<>();
      for (int step = 1; step <= 4; step++) {
        tickets.add(engine.save(step, TrainingState.replicated(States.at(step, model)), Map.of()));
      }
      gate.awaitArrival();
      assertThat(engine.notice(Duration.ofMillis(1)).inTime()).isFalse();
      gate.open();
      NoticeOutcome outcome = engine.notice(LONG);
      assertThat(outcome.inTime()).isTrue();
      assertThat(outcome.newest()).isSameAs(tickets.get(3));
      assertThat(tickets.get(0).await(Level.DURABLE, LONG)).isTrue();
      assertThat(tickets.subList(1, 3))
          .allSatisfy(t -> assertThat(t.state()).isEqualTo(TicketState.SKIPPED));
    }
    assertSaved(disk, 1, 4, model);
  }

  @Test
  void aNoticeWithNothingSavedSaysSo() throws Exception {
    try (CheckpointEngine engine = started(options(), List.of(disk(FaultPoints.NONE)))) {
      assertThat(engine.notice(Duration.ofSeconds(1))).isEqualTo(new NoticeOutcome(null, false));
    }
  }

  @Test
  void closingSaysWhatIsDurable() throws Exception {
    Gate gate = new Gate(FaultPoint.BEFORE_MANIFEST);
    DirectoryTier disk = disk(gate);
    CheckpointEngine engine = started(options(), List.of(disk));
    gate.through.release();
    Ticket first = engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
    assertThat(first.await(Level.DURABLE, LONG)).isTrue();
    Ticket second =
        engine.save(2, TrainingState.replicated(States.at(2, States.mixed())), Map.of());
    Ticket third = engine.save(3, TrainingState.replicated(States.at(3, States.mixed())), Map.of());
    gate.awaitArrival();
    gate.awaitArrival();
    ClosingReport report = engine.close(Duration.ofMillis(10));
    assertThat(report.lastDurableStep()).isEqualTo(1);
    assertThat(report.unfinished()).containsExactly(second, third);
    assertThat(second.settled()).isTrue();
    assertThat(second.state()).isEqualTo(TicketState.FAILED);
    assertThat(third.state()).isEqualTo(TicketState.SKIPPED);
    Ticket late = engine.save(4, TrainingState.replicated(States.at(4, States.mixed())), Map.of());
    assertThat(late.state()).isEqualTo(TicketState.SKIPPED);
    assertThat(engine.close(Duration.ZERO).lastDurableStep()).isEqualTo(1);
  }

  @Test
  void retentionKeepsTheLastAndEveryNth() throws Exception {
    DirectoryTier disk = disk(FaultPoints.NONE);
    try (CheckpointEngine engine =
        started(options().withRetention(new Retention(2, 4)), List.of(disk))) {
      for (int step = 1; step <= 11; step++) {
        Ticket ticket =
            engine.save(step, TrainingState.replicated(States.at(step, States.mixed())), Map.of());
        assertThat(ticket.await(Level.DURABLE, LONG)).isTrue();
      }
    }
    assertThat(new Checkpoints(List.of(disk), 1).list(JOB).checkpoints())
        .extracting(listed -> listed.version().step())
        .containsExactly(11L, 10L, 8L, 4L);
  }

  @Test
  void theEngineSaysWhenToSave() throws Exception {
    AtomicLong clock = new AtomicLong();
    EngineOptions options = options().withExpectedUptime(Duration.ofHours(1));
    try (CheckpointEngine engine =
        new CheckpointEngine(
            options,
            List.of(disk(FaultPoints.NONE)),
            new LocalAssembly(InstantSource.system()),
            point -> {
              if (point == FaultPoint.AFTER_STAGE) {
                clock.addAndGet(Duration.ofMillis(500).toNanos());
              }
            },
            clock::get)) {
      assertThat(engine.shouldSave(0)).isFalse();
      engine.start();
      assertThat(engine.shouldSave(1)).isTrue();
      Ticket ticket =
          engine.save(1, TrainingState.replicated(States.at(1, States.mixed())), Map.of());
      assertThat(ticket.awaitSettled(LONG)).isTrue();
      // sqrt(2 * 0.5 s * 3600 s) = 60 s, with steps of 10 s
      List<Long> yes = new ArrayList<>();
      for (long step = 2; step <= 8; step++) {
        clock.addAndGet(Duration.ofSeconds(10).toNanos());
        if (engine.shouldSave(step)) {
          yes.add(step);
        }
      }
      assertThat(yes).containsExactly(7L, 8L);
      assertThat(engine.metrics().durableAge())
          .isBetween(Duration.ofSeconds(70), LONG.plus(LONG).plus(LONG));
      engine.interval().observeRevocations(99, Duration.ZERO);
      engine.save(8, TrainingState.replicated(States.at(8, States.mixed())), Map.of());
      clock.addAndGet(Duration.ofSeconds(10).toNanos());
      assertThat(engine.shouldSave(9)).isTrue();
    }
  }

  @Test
  void tenThousandSavesLeaveNothingBehind() throws Exception {
    MemoryTier memory = new MemoryTier("memory", Level.REPLICATED, DataSize.parse("1MiB"), null);
    List<TensorSpec> model = States.bytes(1_000);
    EngineOptions options =
        options().withBehind(Behind.BLOCK, LONG).withRetention(Retention.DEFAULT);
    List<Slice> live = States.at(1, model);
    int before = Thread.activeCount();
    try (CheckpointEngine engine = started(options, List.of(memory))) {
      Ticket last = null;
      for (int step = 1; step <= 10_000; step++) {
        last = engine.save(step, TrainingState.replicated(live), Map.of());
      }
      assertThat(Objects.requireNonNull(last).await(Level.REPLICATED, LONG)).isTrue();
      Metrics metrics = engine.metrics();
      assertThat(metrics.saves()).isEqualTo(10_000);
      assertThat(metrics.skipped() + metrics.failed()).isZero();
      assertThat(engine.close(LONG).unfinished()).isEmpty();
      assertThat(engine.metrics().bytesInFlight()).isZero();
    }
    assertThat(memory.list(JOB)).hasSizeLessThan(5);
    assertThat(memory.usedBytes()).isLessThan(64 << 10);
    assertThat(Thread.activeCount()).isLessThanOrEqualTo(before + 1);
  }

  @Test
  void badTensorsAreRefusedAtOnce() {
    TensorSpec tensor = new TensorSpec("w", DType.F32, List.of(10L));
    assertThatThrownBy(() -> Slice.whole(tensor, ByteBuffer.allocateDirect(39)))
        .isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> new Slice(tensor, 30, List.of(ByteBuffer.allocate(11))))
        .isInstanceOf(BadInput.class);
    Slice slice = Slice.whole(tensor, ByteBuffer.allocateDirect(40));
    assertThatThrownBy(() -> TrainingState.replicated(List.of(slice, slice)))
        .isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> TrainingState.replicated(List.of(slice.cut(0, 20))))
        .isInstanceOf(BadInput.class);
  }
}
