package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Limits;
import io.deepvm.transport.Timeouts;
import io.deepvm.transport.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AnchorIT {

  private static final String JOB = "job";
  private static final String SHARD = "shard-00000-of-00001.safetensors";
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Timeouts QUICK =
      new Timeouts(
          Duration.ofSeconds(2),
          Duration.ofMillis(200),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(20));

  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();

  private <T extends AutoCloseable> T closing(T thing) {
    open.add(0, thing);
    return thing;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable thing : open) {
      thing.close();
    }
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private AnchorOptions options(String name, int port) {
    return AnchorOptions.of(loopback(port), DataSize.parse("8MiB"), folder.resolve(name))
        .withTimeouts(QUICK);
  }

  private AnchorService start(AnchorOptions options) throws IOException {
    AnchorService anchor = closing(new AnchorService(options));
    anchor.start();
    return anchor;
  }

  private AnchorClient client(AnchorService anchor) throws IOException {
    return closing(new AnchorClient(anchor.address(), null, QUICK));
  }

  private DirectoryTier archive() {
    return new DirectoryTier("archive", Level.ARCHIVED, folder.resolve("archive"));
  }

  private static List<TensorSpec> model() {
    return List.of(
        new TensorSpec("weights", DType.F32, List.of(257L, 1029L)),
        new TensorSpec("bias", DType.F16, List.of(331L)),
        new TensorSpec("steps", DType.I64, List.of()));
  }

  private static List<Slice> zeros() {
    return model().stream()
        .map(tensor -> Slice.whole(tensor, ByteBuffer.allocateDirect((int) tensor.bytes())))
        .toList();
  }

  private static List<Slice> state(long step) {
    List<Slice> slices = zeros();
    for (Slice slice : slices) {
      byte[] values = new byte[(int) slice.bytes()];
      new Random(step * 31 + slice.tensor().name().hashCode()).nextBytes(values);
      slice.data().get(0).put(0, values);
    }
    return slices;
  }

  private static void checkRestores(long step, Tier... tiers) throws IOException {
    Checkpoints checkpoints = new Checkpoints(List.of(tiers), 2);
    List<Slice> found = zeros();
    assertThat(checkpoints.restore(JOB, manifest -> found)).isNotNull();
    List<Slice> expected = state(step);
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i).data().get(0).equals(expected.get(i).data().get(0))).isTrue();
    }
  }

  private static Ticket save(Tier tier, long generation, long step) throws InterruptedException {
    EngineOptions options =
        EngineOptions.of(JOB, SharedClaim.of(generation), DataSize.parse("8MiB"))
            .withAttempts(3, Duration.ofMillis(20));
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(tier))) {
      engine.start();
      Ticket ticket = engine.save(step, TrainingState.replicated(state(step)), Map.of());
      assertThat(ticket.awaitSettled(WAIT)).isTrue();
      return ticket;
    }
  }

  @Test
  void whatIsInMemoryGoesToDiskAndArchiveAndSurvivesARestart() throws Exception {
    AnchorService anchor = start(options("a", 0).withArchive(archive()));
    RemoteTier tier = new RemoteTier("anchor", Level.REPLICATED, client(anchor));
    assertThat(save(tier, 3, 10).state()).isEqualTo(TicketState.REPLICATED);
    assertThat(anchor.awaitIdle(WAIT)).isTrue();
    checkRestores(10, archive());
    int port = anchor.address().getPort();
    anchor.close();
    AnchorService again = start(options("a", port));
    RemoteTier after = new RemoteTier("anchor", Level.REPLICATED, client(again));
    assertThat(after.list(JOB)).singleElement().matches(Holding::complete);
    assertThat(after.generation(JOB)).isEqualTo(3);
    checkRestores(10, after);
    assertThatThrownBy(() -> after.write(new Version(JOB, 2, 11), SharedClaim.OWNER))
        .isInstanceOf(StaleGeneration.class);
    // the client of before the restart connects by itself
    checkRestores(10, tier);
  }

  @Test
  void whatIsDurableStaysUntilSomethingNewerIs() throws Exception {
    AtomicBoolean stuck = new AtomicBoolean();
    CountDownLatch end = new CountDownLatch(1);
    AnchorService anchor =
        start(
            options("a", 0)
                .withFaults(
                    point -> {
                      if (stuck.get() && point != FaultPoint.DURING_DELETE) {
                        try {
                          end.await();
                        } catch (InterruptedException e) {
                          // the anchor has closed
                        }
                        throw new IOException("The disk is gone.");
                      }
                    }));
    AnchorClient client = client(anchor);
    RemoteTier memory = new RemoteTier("memory", Level.REPLICATED, client);
    RemoteTier disk = new RemoteTier("disk", Level.DURABLE, client);
    EngineOptions options =
        EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("16MiB"))
            .withRetention(new Retention(2, 0));
    CheckpointEngine engine = new CheckpointEngine(options, List.of(memory, disk));
    engine.start();
    Ticket first = engine.save(1, TrainingState.replicated(state(1)), Map.of());
    assertThat(first.awaitSettled(WAIT)).isTrue();
    assertThat(first.state()).isEqualTo(TicketState.DURABLE);
    assertThat(anchor.awaitIdle(WAIT)).isTrue();
    stuck.set(true);
    for (long step = 2; step <= 6; step++) {
      Ticket ticket = engine.save(step, TrainingState.replicated(state(step)), Map.of());
      assertThat(ticket.await(Level.REPLICATED, WAIT)).as("%s", ticket).isTrue();
    }
    // what was only in memory is gone with the anchor
    end.countDown();
    anchor.close();
    engine.close(Duration.ZERO);
    stuck.set(false);
    checkRestores(1, new DirectoryTier("disk", Level.DURABLE, folder.resolve("a/versions")));
  }

  @Test
  void workersThatKnowOnlyTheMemoryDoNotTakeTheLastOneFromTheDisk() throws Exception {
    AtomicBoolean full = new AtomicBoolean();
    AnchorService anchor =
        start(
            options("a", 0)
                .withFaults(
                    point -> {
                      if (full.get() && point != FaultPoint.DURING_DELETE) {
                        throw new IOException("No space left on device");
                      }
                    }));
    RemoteTier memory = new RemoteTier("memory", Level.REPLICATED, client(anchor));
    EngineOptions options =
        EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("16MiB"))
            .withRetention(new Retention(2, 0));
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("a/versions"));
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(memory))) {
      engine.start();
      saveAndSettle(engine, 1);
      assertThat(anchor.awaitIdle(WAIT)).isTrue();
      full.set(true);
      for (long step = 2; step <= 6; step++) {
        saveAndSettle(engine, step);
      }
      checkRestores(1, disk);
      full.set(false);
      assertThat(anchor.awaitIdle(WAIT)).isTrue();
      saveAndSettle(engine, 7);
    }
    // once a newer one is there it goes
    assertThat(disk.list(JOB))
        .extracting(holding -> holding.version().step())
        .contains(6L)
        .doesNotContain(1L);
  }

  private static void saveAndSettle(CheckpointEngine engine, long step)
      throws InterruptedException {
    Ticket ticket = engine.save(step, TrainingState.replicated(state(step)), Map.of());
    assertThat(ticket.awaitSettled(WAIT)).isTrue();
    assertThat(ticket.state()).isEqualTo(TicketState.REPLICATED);
  }

  @Test
  void aZombieIsFencedInTheMiddleOfAShard() throws Exception {
    AnchorService anchor = start(options("a", 0));
    RemoteTier zombie = new RemoteTier("anchor", Level.REPLICATED, client(anchor));
    RemoteTier successor = new RemoteTier("anchor", Level.REPLICATED, client(anchor));
    zombie.claim(JOB, SharedClaim.of(1));
    try (CheckpointWriter writer = zombie.write(new Version(JOB, 1, 5), SharedClaim.OWNER);
        ShardWriter shard = writer.shard(SHARD, 6 << 20)) {
      shard.write(ByteBuffer.allocate(4 << 20));
      successor.claim(JOB, SharedClaim.of(2));
      shard.write(ByteBuffer.allocate(2 << 20));
      assertThatThrownBy(shard::seal).isInstanceOf(StaleGeneration.class);
    }
  }

  @Test
  void aSecondAttemptGoesOnWhereALostConnectionEnded() throws Exception {
    AnchorService anchor = start(options("a", 0));
    AnchorClient first = client(anchor);
    Version version = new Version(JOB, 1, 5);
    byte[] bytes = new byte[6 << 20];
    new Random(1).nextBytes(bytes);
    CheckpointWriter writer =
        new RemoteTier("anchor", Level.DURABLE, first).write(version, SharedClaim.OWNER);
    ShardWriter shard = writer.shard(SHARD, bytes.length);
    shard.write(ByteBuffer.wrap(bytes, 0, 4 << 20));
    shard.write(ByteBuffer.wrap(bytes, 4 << 20, 1 << 20));
    first.close();
    assertThatThrownBy(shard::seal).isInstanceOf(IOException.class);
    try (CheckpointWriter later =
            new RemoteTier("anchor", Level.DURABLE, client(anchor))
                .write(version, SharedClaim.OWNER);
        ShardWriter rest = later.shard(SHARD, bytes.length)) {
      int at = (int) rest.position();
      assertThat(at).isLessThanOrEqualTo(4 << 20);
      rest.write(ByteBuffer.wrap(bytes, at, bytes.length - at));
      rest.seal();
      // the first attempt may say nothing any more
      assertThatThrownBy(shard::seal).isInstanceOf(IOException.class);
      assertThat(later.sealed()).containsExactly(SHARD);
    }
  }

  @Test
  void anAnchorThatIsGoneFailsTheSaveAndNotTheTraining() throws Exception {
    AnchorService anchor = start(options("a", 0));
    RemoteTier tier = new RemoteTier("anchor", Level.REPLICATED, client(anchor));
    assertThat(save(tier, 1, 1).state()).isEqualTo(TicketState.REPLICATED);
    anchor.close();
    assertThat(save(tier, 1, 2).state()).isEqualTo(TicketState.FAILED);
  }

  @Test
  void anAnchorThatAcceptsAndSaysNothingIsGivenUp() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      AnchorClient client = closing(new AnchorClient(loopback(mute.getLocalPort()), null, QUICK));
      RemoteTier tier = new RemoteTier("anchor", Level.REPLICATED, client);
      assertThatThrownBy(() -> tier.generation(JOB)).isInstanceOf(IOException.class);
      // the second question need not wait as long again
      assertThatThrownBy(() -> tier.generation(JOB)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void strangersAndTooManyAreTurnedAway() throws Exception {
    Token token = Token.of("0123456789abcdef0123456789abcdef");
    AnchorService anchor =
        start(options("a", 0).withToken(token).withLimits(Limits.USUAL.withConnections(1)));
    RemoteTier stranger = new RemoteTier("anchor", Level.REPLICATED, client(anchor));
    assertThatThrownBy(() -> stranger.generation(JOB)).isInstanceOf(IOException.class);
    AnchorClient friend = closing(new AnchorClient(anchor.address(), token, QUICK));
    RemoteTier tier = new RemoteTier("anchor", Level.REPLICATED, friend);
    assertThat(tier.generation(JOB)).isZero();
    AnchorClient second = closing(new AnchorClient(anchor.address(), token, QUICK));
    assertThatThrownBy(() -> new RemoteTier("anchor", Level.REPLICATED, second).generation(JOB))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () ->
                new AnchorService(
                    AnchorOptions.of(
                        new InetSocketAddress("0.0.0.0", 0),
                        DataSize.parse("8MiB"),
                        folder.resolve("b"))))
        .isInstanceOf(BadInput.class);
  }

  /** A worker with its own clients, as it would be in its own process. */
  private final class Worker {
    private final CheckpointEngine engine;

    Worker(int rank, int workers, List<AnchorService> anchors, int copies) throws IOException {
      List<AnchorClient> clients = new ArrayList<>();
      List<Tier> members = new ArrayList<>();
      for (AnchorService anchor : anchors) {
        AnchorClient client = client(anchor);
        clients.add(client);
        members.add(new RemoteTier("anchor-" + members.size(), Level.DURABLE, client));
      }
      engine =
          closing(
              new CheckpointEngine(
                  EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("8MiB"))
                      .withWorker(rank, workers)
                      .withBehind(Behind.BLOCK, WAIT)
                      .withAttempts(3, Duration.ofMillis(20))
                      .withCommitTimeout(Duration.ofSeconds(20)),
                  List.of(new SpreadTier("anchors", Level.DURABLE, members, copies)),
                  new RemoteAssembly(clients),
                  FaultPoints.NONE,
                  System::nanoTime));
      engine.start();
    }
  }

  private List<AnchorService> anchors(int count) throws IOException {
    List<AnchorService> anchors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      anchors.add(start(options("anchor-" + i, 0).withArchive(archive())));
    }
    return anchors;
  }

  private List<Worker> workers(int count, List<AnchorService> anchors, int copies)
      throws IOException {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      workers.add(new Worker(i, count, anchors, copies));
    }
    return workers;
  }

  private static List<Ticket> saveAll(List<Worker> workers, long step) {
    return workers.stream()
        .map(w -> w.engine.save(step, TrainingState.replicated(state(step)), Map.of()))
        .toList();
  }

  private void closeEngines(List<Worker> workers) {
    workers.forEach(worker -> worker.engine.close());
  }

  @Test
  void sevenWorkersAndThreeAnchorsSaveWhatAnyOtherNumberRestores() throws Exception {
    List<AnchorService> anchors = anchors(3);
    List<Worker> workers = workers(7, anchors, 1);
    for (Ticket ticket : saveAll(workers, 20)) {
      assertThat(ticket.await(Level.DURABLE, WAIT)).as("%s", ticket).isTrue();
    }
    closeEngines(workers);
    for (AnchorService anchor : anchors) {
      assertThat(anchor.awaitIdle(WAIT)).isTrue();
      anchor.close();
    }
    // no anchor: one worker, from the archive
    checkRestores(20, archive());
    // one new anchor with an empty disk that reads the archive: three workers, each its share
    AnchorService alone = start(options("new", 0).withArchive(archive()));
    List<Slice> joined = zeros();
    for (int rank = 0; rank < 3; rank++) {
      List<Slice> share = TrainingState.replicated(joined).share(rank, 3);
      RemoteTier tier = new RemoteTier("anchor", Level.ARCHIVED, client(alone));
      assertThat(new Checkpoints(List.of(tier), 2).restore(JOB, manifest -> share)).isNotNull();
    }
    List<Slice> expected = state(20);
    for (int i = 0; i < joined.size(); i++) {
      assertThat(joined.get(i).data().get(0).equals(expected.get(i).data().get(0))).isTrue();
    }
  }

  @Test
  void workersMeetAtTheNextAnchorWhenTheFirstIsGone() throws Exception {
    List<AnchorService> anchors = anchors(2);
    List<Worker> workers = workers(3, anchors, 1);
    for (Ticket ticket : saveAll(workers, 1)) {
      assertThat(ticket.await(Level.DURABLE, WAIT)).as("%s", ticket).isTrue();
    }
    anchors.get(0).close();
    for (Ticket ticket : saveAll(workers, 2)) {
      assertThat(ticket.await(Level.DURABLE, WAIT)).as("%s", ticket).isTrue();
    }
    closeEngines(workers);
    checkRestores(2, new RemoteTier("second", Level.DURABLE, client(anchors.get(1))));
  }

  @Test
  void aPartThatNeverComesEndsTheRoundForAll() throws Exception {
    List<AnchorService> anchors = anchors(1);
    List<Worker> workers = workers(2, anchors, 1);
    Ticket ticket = workers.get(0).engine.save(1, TrainingState.replicated(state(1)), Map.of());
    AnchorClient other = client(anchors.get(0));
    new RemoteAssembly(List.of(other))
        .withdraw("anchors", new Version(JOB, 1, 1), 1, "It was revoked.");
    assertThat(ticket.awaitSettled(WAIT)).isTrue();
    assertThat(ticket.state()).isEqualTo(TicketState.FAILED);
    assertThat(ticket.reasons()).singleElement().asString().contains("It was revoked.");
    RemoteTier tier = new RemoteTier("anchor", Level.DURABLE, other);
    assertThat(tier.list(JOB)).noneMatch(Holding::complete);
  }

  @Test
  void withoutAnyAnchorTheReserveTakesOver() throws Exception {
    AnchorService anchor = start(options("a", 0));
    DirectoryTier reserve = new DirectoryTier("reserve", Level.DURABLE, folder.resolve("reserve"));
    SpreadTier tier =
        new SpreadTier(
            "anchors",
            Level.DURABLE,
            List.of(new RemoteTier("a", Level.DURABLE, client(anchor))),
            1,
            reserve);
    assertThat(save(tier, 1, 1).state()).isEqualTo(TicketState.DURABLE);
    assertThat(reserve.list(JOB)).isEmpty();
    anchor.close();
    assertThat(save(tier, 1, 2).state()).isEqualTo(TicketState.DURABLE);
    checkRestores(2, reserve);
  }

  @Test
  void aSecondAnchorOnTheSameDiskIsRefused() throws Exception {
    AnchorService anchor = start(options("a", 0));
    assertThatThrownBy(() -> new AnchorService(options("a", 0)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("Another anchor is running on");
    anchor.close();
    start(options("a", 0));
  }

  @Test
  @Timeout(300)
  void tenThousandJobsAreNoWall() throws Exception {
    Path versions = Files.createDirectories(folder.resolve("a").resolve("versions"));
    for (int i = 0; i <= 10_000; i++) {
      Path job = Files.createDirectory(versions.resolve("job-" + i));
      Files.writeString(job.resolve("generation"), SharedClaim.of(2) + "\n");
    }
    RemoteTier tier = new RemoteTier("anchor", Level.REPLICATED, client(start(options("a", 0))));
    assertThat(save(tier, 1, 1).state()).isEqualTo(TicketState.REPLICATED);
    // more than are remembered at once; those forgotten are known to the disk
    for (int i : new int[] {0, 5_000, 10_000}) {
      assertThatThrownBy(() -> tier.claim("job-" + i, SharedClaim.of(1)))
          .isInstanceOf(StaleGeneration.class);
      assertThat(tier.generation("job-" + i)).isEqualTo(2);
    }
  }

  @Test
  void oneBadJobDoesNotKeepAnAnchorFromStarting() throws Exception {
    AnchorService anchor = start(options("a", 0));
    assertThat(save(new RemoteTier("anchor", Level.DURABLE, client(anchor)), 1, 1).state())
        .isEqualTo(TicketState.DURABLE);
    anchor.close();
    Path versions = folder.resolve("a").resolve("versions");
    for (String bad : List.of("lost+found", "a job", "damaged", "refused")) {
      Files.createDirectory(versions.resolve(bad));
    }
    Files.writeString(versions.resolve("damaged").resolve("generation"), "none");
    // reading a folder as if it were the file fails
    Files.createDirectory(versions.resolve("refused").resolve("generation"));
    // a job without versions is forgotten after a while, which fails here
    Path stuck = versions.resolve("stuck");
    Files.createDirectories(stuck.resolve(".lock").resolve("not empty"));
    Path old = Files.writeString(stuck.resolve("generation"), "1\n");
    Files.setLastModifiedTime(old, FileTime.from(Instant.EPOCH));
    RemoteTier tier = new RemoteTier("anchor", Level.DURABLE, client(start(options("a", 0))));
    checkRestores(1, tier);
    assertThat(save(tier, 1, 2).state()).isEqualTo(TicketState.DURABLE);
  }
}
