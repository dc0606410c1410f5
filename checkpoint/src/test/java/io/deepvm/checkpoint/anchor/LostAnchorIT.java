package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What those do who need an anchor that is not there. */
@Timeout(60)
class LostAnchorIT {

  private static final String JOB = "job";
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final TensorSpec TENSOR = new TensorSpec("weights", DType.U8, List.of(100_000L));

  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private AnchorService first;
  private AnchorService second;
  private DirectoryTier disk;

  @BeforeEach
  void startTwo() throws IOException {
    first = anchor("first", 0);
    second = anchor("second", 0);
    disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"));
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable thing : open) {
      thing.close();
    }
  }

  private AnchorService anchor(String name, int port) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    AnchorService anchor =
        new AnchorService(AnchorOptions.of(address, DataSize.parse("8MiB"), folder.resolve(name)));
    open.add(anchor);
    anchor.start();
    return anchor;
  }

  private Tier remote(String name, AnchorService anchor) throws IOException {
    AnchorClient client = new AnchorClient(anchor.address(), null);
    open.add(0, client);
    return new RemoteTier(name, Level.REPLICATED, client);
  }

  private SpreadTier both(int copies) throws IOException {
    return new SpreadTier(
        "anchors",
        Level.REPLICATED,
        List.of(remote("first", first), remote("second", second)),
        copies);
  }

  private static List<Slice> state(int value) {
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) TENSOR.bytes());
    while (bytes.hasRemaining()) {
      bytes.put((byte) value);
    }
    return List.of(Slice.whole(TENSOR, bytes.flip()));
  }

  private static TicketState save(Claim claim, int step, Tier... tiers)
      throws InterruptedException {
    EngineOptions options = EngineOptions.of(JOB, claim, DataSize.parse("4MiB"));
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(tiers))) {
      engine.start();
      Ticket ticket = engine.save(step, TrainingState.replicated(state(step)), Map.of());
      assertThat(ticket.awaitSettled(WAIT)).isTrue();
      return ticket.state();
    }
  }

  @Test
  void itsCopyIsExportedFromTheNextTier() throws Exception {
    Tier anchors = both(1);
    assertThat(save(SharedClaim.of(1), 7, anchors, disk)).isEqualTo(TicketState.DURABLE);
    first.close();
    second.close();
    Restored restored =
        new Checkpoints(List.of(anchors, disk), 1)
            .export(new Version(JOB, 1, 7), folder.resolve("out.safetensors"));
    assertThat(restored.tier()).isEqualTo("disk");
    assertThat(folder.resolve("out.safetensors")).isNotEmptyFile();
  }

  @Test
  void itIsNotTakenForOneThatHasNothing() throws Exception {
    Tier anchors = both(1);
    assertThat(save(SharedClaim.of(1), 7, anchors)).isEqualTo(TicketState.REPLICATED);
    // the only shard is on the first of the two
    first.close();
    Checkpoints checkpoints = new Checkpoints(List.of(anchors), 1);
    assertThatThrownBy(() -> checkpoints.restore(JOB, manifest -> state(0)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("first cannot be reached");
  }

  @Test
  void onceItIsBackItHearsOfTheGenerationBeforeItIsWrittenTo() throws Exception {
    Tier anchors = both(2);
    assertThat(save(SharedClaim.of(4), 7, anchors)).isEqualTo(TicketState.REPLICATED);
    int port = first.address().getPort();
    first.close();
    anchors.claim(JOB, SharedClaim.of(5));
    first = anchor("first", port);
    Tier again = remote("first", first);
    assertThat(again.generation(JOB)).isEqualTo(4);
    // looking at it takes it out of doubt
    assertThat(anchors.list(JOB)).hasSize(1);
    assertThat(anchors.unreachable()).isEmpty();
    try (var writer = anchors.write(new Version(JOB, 5, 8), SharedClaim.OWNER);
        var shard = writer.shard("shard-00000-of-00001.safetensors", 1)) {
      assertThat(shard.position()).isZero();
      assertThat(again.generation(JOB)).isEqualTo(5);
    }
    assertThatThrownBy(() -> again.write(new Version(JOB, 4, 9), SharedClaim.OWNER))
        .isInstanceOf(StaleGeneration.class);
  }

  @Test
  void itKeepsNobodyFromBeginningWhoHasADisk() throws Exception {
    Tier lost = remote("first", first);
    lost.claim(JOB, SharedClaim.of(5));
    first.close();
    disk.claim(JOB, SharedClaim.of(3));
    // disk alone would say 4
    Claim next = new Checkpoints(List.of(lost, disk), 1).nextGeneration(JOB);
    assertThat(next.generation()).isGreaterThan(5);
    assertThat(save(next, 7, lost, disk)).isEqualTo(TicketState.DURABLE);
    assertThatThrownBy(() -> new Checkpoints(List.of(lost), 1).nextGeneration(JOB))
        .isInstanceOf(IOException.class);
  }
}
