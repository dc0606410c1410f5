package io.deepvm.workload.speed;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.workload.ModelSize;
import org.junit.jupiter.api.Test;

class ModelFactsTest {

  @Test
  void aPresetIsKnownByTheNameOfItsMeasurementsInAnySpelling() {
    assertThat(ModelFacts.known("ResNet-50")).isEqualTo(new ModelFacts(161, 2.556e7));
  }

  @Test
  void aMeasuredModelThatIsNoPresetIsKnownFromTheTable() {
    assertThat(ModelFacts.known("VGG19_bn")).isEqualTo(new ModelFacts(70, 143678248));
  }

  @Test
  void parametersThatDependOnTheImageAreNotKnown() {
    assertThat(ModelFacts.known("LeNet5").tensors()).isEqualTo(10);
    assertThat(ModelFacts.known("LeNet5").parameters()).isNaN();
  }

  @Test
  void whatAJobStatesGoesBeforeTheTable() {
    ModelShape stated = new ModelShape("resnet50", new ModelSize(1e6, 99), null, null, 224);
    assertThat(ModelFacts.of(stated)).isEqualTo(new ModelFacts(99, 1e6));
    ModelShape half = new ModelShape("resnet50", new ModelSize(1e6, null), null, null, 224);
    assertThat(ModelFacts.of(half)).isEqualTo(new ModelFacts(161, 1e6));
  }

  @Test
  void nothingIsKnownOfAStranger() {
    assertThat(ModelFacts.known("mynet").tensors()).isNaN();
  }
}
