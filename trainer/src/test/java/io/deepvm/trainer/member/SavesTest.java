package io.deepvm.trainer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.trainer.job.CheckpointSpec;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.model.Tensor;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.trainer.vector.OptimizerSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SavesTest {

  private static final Totals TOTALS = new Totals(3, 96, 7, 0.5, 1);

  private static final String JOB =
      """
      name: kept
      strategy: averaging
      data: {kind: generated-images, samples: 100}
      batch: {micro: 8, target: 32}
      work: {steps: 10}
      optimizer: {kind: sgd, rate: 0.1, momentum: 0}
      seed: 5
      """;

  @TempDir Path folder;

  private final AgentChannel agent =
      new AgentChannel(
          InputStream.nullInputStream(),
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
          () -> {});
  private final ModelState state =
      new ModelState(
          List.of(new Tensor("w", List.of(4L), 0, Floats.allocate(4))),
          4,
          new OptimizerSpec(OptimizerSpec.Kind.SGD, 0.1, 0, 0.999));

  private Saves saves(String job) throws IOException {
    return saves(job, System::nanoTime);
  }

  private Saves saves(String job, LongSupplier nanoTime) throws IOException {
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    return new Saves(
        TrainingJob.read(file),
        new CheckpointSpec(folder.resolve("saved"), List.of(), null, 0),
        agent,
        UnaryOperator.identity(),
        nanoTime);
  }

  @Test
  void anEngineThatCannotBeMadeIsTriedAgainAfterAPause() throws Exception {
    Path file = Files.writeString(folder.resolve("saved"), "in the way");
    AtomicLong clock = new AtomicLong();
    Saves saves = saves(JOB, clock::get);
    state.validate(TOTALS);
    assertThatThrownBy(() -> saves.afterStep(state, false)).isInstanceOf(IOException.class);
    clock.addAndGet(Duration.ofSeconds(29).toNanos());
    saves.afterStep(state, false);
    assertThatThrownBy(() -> saves.afterStep(state, true)).isInstanceOf(IOException.class);
    clock.addAndGet(Duration.ofSeconds(30).toNanos());
    Files.delete(file);
    saves.afterStep(state, false);
    saves.leaveToOthers();
    assertThat(saves(JOB).restore(state)).isEqualTo(TOTALS.in(-1));
  }

  @Test
  void aJobWithoutCheckpointsHasNoLaterOneWhenAMemberIsLost() throws Exception {
    Path file = Files.writeString(folder.resolve("job.yaml"), JOB);
    Saves none =
        new Saves(TrainingJob.read(file), null, agent, UnaryOperator.identity(), System::nanoTime);
    assertThat(none.restoreLater(state, 0)).isNull();
  }

  private void save() throws Exception {
    Saves saves = saves(JOB);
    state.validate(TOTALS);
    saves.afterStep(state, true);
    saves.leaveToOthers();
  }

  @Test
  void theSameJobGoesOnFromItsCheckpoint() throws Exception {
    save();
    assertThat(saves(JOB.replace("steps: 10", "steps: 20")).restore(state))
        .isEqualTo(TOTALS.in(-1));
  }

  @ParameterizedTest
  @CsvSource({
    "averaging, parameter-server, strategy averaging",
    "micro: 8, micro: 16, batch.micro 8",
    "target: 32, target: 64, batch.target 32",
    "seed: 5, seed: 6, seed 5"
  })
  void aJobThatWouldTrainOnOtherSamplesIsRefused(String was, String is, String named)
      throws Exception {
    save();
    Saves other = saves(JOB.replace(was, is));
    assertThatThrownBy(() -> other.restore(state))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'kept' has " + named);
  }

  @Test
  void aCheckpointThatDoesNotSayHowItWasTrainedIsRestored() throws Exception {
    try (DirectoryTier tier = new DirectoryTier("folder", Level.DURABLE, folder.resolve("saved"))) {
      CheckpointEngine engine =
          new CheckpointEngine(
              EngineOptions.of("kept", Claim.of(1), new DataSize(1 << 20)).withCopyThreads(1),
              List.of(tier));
      engine.start();
      engine.save(
          3, TrainingState.replicated(state.slices()), Map.of("step", "3", "samples", "96"));
      engine.close(Duration.ofSeconds(60));
    }
    Totals restored = Objects.requireNonNull(saves(JOB).restore(state));
    assertThat(restored.step()).isEqualTo(3);
  }
}
