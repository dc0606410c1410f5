package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is really full: a small file system in memory, which only root may mount. */
@Timeout(60)
class DiskFullIT {

  @TempDir Path folder;
  private boolean mounted;

  private static boolean runs(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  @BeforeEach
  void mount() throws Exception {
    try {
      mounted = runs("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.toString());
    } catch (IOException e) {
      mounted = false;
    }
    assumeTrue(mounted, "mounting a small file system needs root");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(runs("umount", folder.toString())).isTrue();
    }
  }

  @Test
  void aFullDiskFailsOneSaveAndKeepsTheOneBefore() throws Exception {
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("checkpoints"));
    List<TensorSpec> model = States.bytes(2_500_000);
    EngineOptions options =
        EngineOptions.of("job", SharedClaim.of(1), DataSize.parse("8MiB"))
            .withAttempts(2, Duration.ofMillis(1))
            .withRetention(new Retention(1, 0));
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(disk))) {
      engine.start();
      Ticket first = engine.save(1, TrainingState.replicated(States.at(1, model)), Map.of());
      assertThat(first.await(Level.DURABLE, Duration.ofSeconds(30))).isTrue();
      Ticket second = engine.save(2, TrainingState.replicated(States.at(2, model)), Map.of());
      assertThat(second.awaitSettled(Duration.ofSeconds(30))).isTrue();
      assertThat(second.state()).isEqualTo(TicketState.FAILED);
      assertThat(second.reasons()).singleElement().asString().contains("No space left");
      Checkpoints checkpoints = new Checkpoints(List.of(disk), 2);
      assertThat(checkpoints.list("job").checkpoints())
          .extracting(listed -> listed.version().step())
          .containsExactly(1L);
      assertThat(checkpoints.verify(first.version())).isEmpty();
      // room again: the engine itself removes what the failed save has left over
      assertThat(disk.delete(first.version())).isTrue();
      Ticket third = engine.save(3, TrainingState.replicated(States.at(3, model)), Map.of());
      assertThat(third.await(Level.DURABLE, Duration.ofSeconds(30))).isTrue();
      assertThat(checkpoints.verify(third.version())).isEmpty();
    }
  }
}
