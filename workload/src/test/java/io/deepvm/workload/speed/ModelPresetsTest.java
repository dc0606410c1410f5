package io.deepvm.workload.speed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.workload.Job;
import io.deepvm.workload.Work;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelPresetsTest {

  @Test
  void everyPresetIsAJobFileThatStatesItsModelAndWork() {
    Set<String> names = new HashSet<>();
    for (ModelPreset preset : ModelPresets.all()) {
      Job job = preset.job();
      Work work = Objects.requireNonNull(job.work(), preset.name());
      assertThat(job.name()).isEqualTo(preset.name());
      assertThat(job.precision()).isEqualTo(preset.precision());
      assertThat(job.profiles().model()).isEqualTo(preset.shape().size());
      assertThat(job.profiles().batch()).isEqualTo(preset.batch());
      assertThat(job.profiles().speeds().model()).isEqualTo(preset.shape().name());
      assertThat(work.flop() / Objects.requireNonNull(work.samples()))
          .as(preset.name())
          .isCloseTo(
              Objects.requireNonNull(preset.shape().flopPerSample()), within(1e-6 * work.flop()));
      assertThat(preset.source()).isNotBlank();
      assertThat(names.add(preset.name())).as(preset.name()).isTrue();
    }
    assertThat(names).contains("resnet50", "bert-large", "gpt2-xl", "llama-3-70b", "mixtral-8x7b");
  }

  @Test
  void epochsScaleTheWork() {
    ModelPreset preset = ModelPresets.named("ResNet-50");
    double usual = Objects.requireNonNull(Objects.requireNonNull(preset.job().work()).samples());
    double once = Objects.requireNonNull(Objects.requireNonNull(preset.job(1).work()).samples());
    assertThat(usual / once).isCloseTo(90, within(1e-9));
  }

  @ParameterizedTest
  @CsvSource({"llama-2-7b, 6.7e9, 5.5e13", "resnet50, 25.6e6, 2.4e10", "gpt2, 124e6, 7e11"})
  void figuresAreOfTheSizeThatTheirSourcesState(String name, double parameters, double least) {
    ModelShape shape = ModelPresets.named(name).shape();
    assertThat(Objects.requireNonNull(shape.size()).parameters())
        .isCloseTo(parameters, within(0.02 * parameters));
    assertThat(shape.flopPerSample()).isBetween(least, 4 * least);
  }

  @Test
  void aMisspeltNameIsAnsweredWithTheNearest() {
    assertThatThrownBy(() -> ModelPresets.named("resnet500"))
        .isInstanceOfSatisfying(BadInput.class, e -> assertThat(e.wayOut()).contains("resnet50"));
  }
}
