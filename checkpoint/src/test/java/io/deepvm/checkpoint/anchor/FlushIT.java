package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
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
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an anchor has acknowledged in its memory reaches its disk, whatever happens meanwhile. */
@Timeout(60)
class FlushIT {

  private static final String JOB = "job";
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final TensorSpec TENSOR = new TensorSpec("weights", DType.U8, List.of(100_000L));

  @TempDir Path folder;

  /** While it is, every flush fails and leaves a version without a manifest behind. */
  private final AtomicBoolean full = new AtomicBoolean(true);

  private AnchorService anchor;
  private AnchorClient client;
  private RemoteTier memory;

  @BeforeEach
  void start() throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    anchor =
        new AnchorService(
            AnchorOptions.of(address, DataSize.parse("8MiB"), folder)
                .withFaults(
                    point -> {
                      if (full.get() && point == FaultPoint.BEFORE_MANIFEST) {
                        throw new IOException("No space left on device");
                      }
                    }));
    anchor.start();
    client = new AnchorClient(anchor.address(), null);
    memory = new RemoteTier("memory", Level.REPLICATED, client);
  }

  @AfterEach
  void close() {
    client.close();
    anchor.close();
  }

  private Version save(long generation, long step) throws InterruptedException {
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) TENSOR.bytes());
    EngineOptions options =
        EngineOptions.of(JOB, SharedClaim.of(generation), DataSize.parse("4MiB"));
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(memory))) {
      engine.start();
      TrainingState state = TrainingState.replicated(List.of(Slice.whole(TENSOR, bytes)));
      Ticket ticket = engine.save(step, state, Map.of());
      assertThat(ticket.awaitSettled(WAIT)).isTrue();
      assertThat(ticket.state()).isEqualTo(TicketState.REPLICATED);
      return ticket.version();
    }
  }

  private void checkFlushed(Version version) throws Exception {
    full.set(false);
    assertThat(anchor.awaitIdle(WAIT)).isTrue();
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("versions"));
    assertThat(disk.list(JOB))
        .filteredOn(Holding::complete)
        .extracting(Holding::version)
        .containsExactly(version);
  }

  @Test
  void aVersionThatIsNotWholeDoesNotTakeThePlaceOfOneThatWaits() throws Exception {
    Version whole = save(1, 10);
    Version begun = new Version(JOB, 1, 11);
    try (CheckpointWriter writer = memory.write(begun, SharedClaim.OWNER)) {
      assertThat(writer.sealed()).isEmpty();
      assertThat(memory.delete(begun)).isFalse();
    }
    checkFlushed(whole);
  }

  @Test
  void whatAFailedFlushLeftOnTheDiskMayGoButTheVersionIsFlushedAllTheSame() throws Exception {
    Version version = save(1, 10);
    while (anchor.figures().flush().failures() == 0) {
      Thread.sleep(5);
    }
    assertThat(new RemoteTier("disk", Level.DURABLE, client).delete(version)).isTrue();
    checkFlushed(version);
  }

  @Test
  void theNewestInMemoryComesBackToTheDisk() throws Exception {
    full.set(false);
    Version version = save(1, 10);
    assertThat(anchor.awaitIdle(WAIT)).isTrue();
    // so ends a deletion of what a flush had begun, when that flush ends first
    assertThat(new RemoteTier("disk", Level.DURABLE, client).delete(version)).isTrue();
    checkFlushed(version);
  }

  @Test
  void whenTheNewestIsDeletedTheOneBeforeIsFlushed() throws Exception {
    Version before = save(1, 10);
    Version newest = save(1, 11);
    while (!memory.delete(newest)) {
      Thread.sleep(5);
    }
    checkFlushed(before);
  }

  @Test
  void whatWasAcknowledgedBeforeANewerGenerationCameIsFlushedAfterIt() throws Exception {
    Version version = save(5, 10);
    memory.claim(JOB, SharedClaim.of(6));
    checkFlushed(version);
    for (Level level : List.of(Level.REPLICATED, Level.DURABLE)) {
      RemoteTier zombie = new RemoteTier("zombie", level, client);
      assertThatThrownBy(() -> zombie.write(new Version(JOB, 5, 11), SharedClaim.OWNER))
          .isInstanceOf(StaleGeneration.class);
    }
  }
}
