package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.deepvm.checkpoint.anchor.RemoteAssembly;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.s3.S3Tier;
import io.deepvm.checkpoint.s3.StoreServer;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Timeouts;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers, anchors and an object store together, and what is left when some of them are gone. */
@Timeout(120)
class AnchorsAndStoreIT {

  private static final String JOB = "job";
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final List<TensorSpec> MODEL =
      List.of(
          new TensorSpec("weights", DType.F32, List.of(513L, 1031L)),
          new TensorSpec("bias", DType.F16, List.of(331L)),
          new TensorSpec("steps", DType.I64, List.of()));
  private static final Timeouts QUICK =
      new Timeouts(
          Duration.ofSeconds(5),
          Duration.ofMillis(500),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30));

  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private StoreServer server;

  private <T extends AutoCloseable> T closing(T thing) {
    open.add(0, thing);
    return thing;
  }

  @BeforeEach
  void startStore() throws Exception {
    StoreServer started = new StoreServer();
    closing(started::stop);
    server = started;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable thing : open) {
      thing.close();
    }
  }

  private S3Tier store(String prefix) {
    return closing(StoreServer.tier(server.endpoint(), prefix));
  }

  private AnchorService anchor(String name) throws IOException {
    AnchorService anchor =
        closing(
            new AnchorService(
                AnchorOptions.of(loopback(0), DataSize.parse("16MiB"), folder.resolve(name))
                    .withTimeouts(QUICK)
                    .withArchive(store("archive"))));
    anchor.start();
    return anchor;
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private AnchorClient client(InetSocketAddress address) {
    return closing(new AnchorClient(address, null, QUICK));
  }

  private static EngineOptions options() {
    return EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("16MiB"))
        .withBehind(Behind.BLOCK, WAIT)
        .withAttempts(4, Duration.ofMillis(20))
        .withCommitTimeout(WAIT);
  }

  private CheckpointEngine worker(int rank, int workers, List<AnchorService> anchors)
      throws IOException {
    List<AnchorClient> clients = new ArrayList<>();
    List<Tier> members = new ArrayList<>();
    for (AnchorService anchor : anchors) {
      AnchorClient client = client(anchor.address());
      clients.add(client);
      members.add(new RemoteTier("anchor-" + members.size(), Level.DURABLE, client));
    }
    CheckpointEngine engine =
        closing(
            new CheckpointEngine(
                options().withWorker(rank, workers),
                List.of(new SpreadTier("anchors", Level.DURABLE, members, 2)),
                new RemoteAssembly(clients),
                FaultPoints.NONE,
                System::nanoTime));
    engine.start();
    return engine;
  }

  /** Restores with so many workers, each its share, and compares the whole. */
  private static void checkRestores(long step, int workers, Tier... tiers) throws IOException {
    List<Slice> joined = States.zeros(MODEL);
    for (int rank = 0; rank < workers; rank++) {
      List<Slice> share = TrainingState.replicated(joined).share(rank, workers);
      Restored restored = new Checkpoints(List.of(tiers), 2).restore(JOB, manifest -> share);
      assertThat(restored).isNotNull();
    }
    List<Slice> expected = States.at(step, MODEL);
    for (int i = 0; i < joined.size(); i++) {
      assertThat(joined.get(i).data().get(0).equals(expected.get(i).data().get(0)))
          .as(MODEL.get(i).name())
          .isTrue();
    }
  }

  private static Ticket save(CheckpointEngine engine, long step) {
    return engine.save(step, TrainingState.replicated(States.at(step, MODEL)), Map.of());
  }

  @Test
  void sevenWorkersAndThreeAnchorsSaveWhatThreeAndOneOrOneAndNoneRestore() throws Exception {
    List<AnchorService> anchors = List.of(anchor("a"), anchor("b"), anchor("c"));
    List<CheckpointEngine> workers = new ArrayList<>();
    for (int rank = 0; rank < 7; rank++) {
      workers.add(worker(rank, 7, anchors));
    }
    for (Ticket ticket : workers.stream().map(worker -> save(worker, 20)).toList()) {
      assertThat(ticket.await(Level.DURABLE, WAIT)).as("%s", ticket).isTrue();
    }
    workers.forEach(CheckpointEngine::close);
    for (AnchorService anchor : anchors) {
      assertThat(anchor.awaitIdle(WAIT)).isTrue();
    }
    anchors.get(0).close();
    anchors.get(2).close();
    RemoteTier left = new RemoteTier("b", Level.DURABLE, client(anchors.get(1).address()));
    assertThat(left.list(JOB))
        .singleElement()
        .matches(holding -> !holding.complete() && !holding.shards().isEmpty());
    S3Tier archive = store("archive");
    // what the one anchor has from there, the rest from the store
    checkRestores(20, 3, new SpreadTier("left", Level.DURABLE, List.of(left, archive), 1));
    checkRestores(20, 3, left, archive);
    anchors.get(1).close();
    checkRestores(20, 1, archive);
  }

  @Test
  void aSaveClimbsThroughAnAnchorIntoTheStore() throws Exception {
    AnchorClient client = client(anchor("a").address());
    S3Tier own = store("own");
    List<Tier> tiers =
        List.of(
            new RemoteTier("memory", Level.REPLICATED, client),
            new RemoteTier("disk", Level.DURABLE, client),
            own);
    try (CheckpointEngine engine = new CheckpointEngine(options(), tiers)) {
      engine.start();
      List<TicketState> states = new ArrayList<>();
      engine.listen((ticket, state) -> states.add(state));
      Ticket ticket = save(engine, 5);
      assertThat(ticket.awaitSettled(WAIT)).as("%s", ticket).isTrue();
      assertThat(ticket.state()).isEqualTo(TicketState.ARCHIVED);
      assertThat(ticket.reasons()).isEmpty();
      assertThat(states).endsWith(TicketState.ARCHIVED);
    }
    checkRestores(5, 1, own);
  }

  @Test
  void trainingGoesOnAtTheNextAnchorAndThenIntoTheStoreWhenAnchorsAreKilled() throws Exception {
    List<Process> anchors = new ArrayList<>();
    List<Tier> members = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      Process anchor = AnchorProcess.start(folder.resolve(name));
      closing(anchor::destroyForcibly);
      anchors.add(anchor);
      BufferedReader said = anchor.inputReader();
      members.add(
          new RemoteTier(name, Level.DURABLE, client(loopback(Integer.parseInt(said.readLine())))));
    }
    S3Tier reserve = store("reserve");
    SpreadTier tier = new SpreadTier("anchors", Level.DURABLE, members, 1, reserve);
    try (CheckpointEngine engine = new CheckpointEngine(options(), List.of(tier))) {
      engine.start();
      checkDurable(engine, 1, members.get(0));
      kill(anchors.get(0));
      checkDurable(engine, 2, members.get(1));
      assertThat(reserve.list(JOB)).noneMatch(Holding::complete);
      kill(anchors.get(1));
      checkDurable(engine, 3, reserve);
    }
    checkRestores(3, 1, tier);
  }

  /** Saves, which must get through whatever has died, and finds it there. */
  private static void checkDurable(CheckpointEngine engine, long step, Tier where)
      throws Exception {
    Ticket ticket = save(engine, step);
    assertThat(ticket.await(Level.DURABLE, WAIT)).as("%s", ticket).isTrue();
    checkRestores(step, 1, where);
  }

  private static void kill(Process anchor) throws InterruptedException {
    assertThat(anchor.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
  }
}
