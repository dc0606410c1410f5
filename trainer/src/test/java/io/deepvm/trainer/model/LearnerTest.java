package io.deepvm.trainer.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.trainer.data.Dataset;
import io.deepvm.trainer.data.GeneratedImages;
import io.deepvm.trainer.data.GeneratedText;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.trainer.vector.OptimizerSpec;
import io.deepvm.trainer.vector.VectorOptimizer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LearnerTest {

  private static final Dataset IMAGES = new GeneratedImages(7, 1000, 10, 0.5);
  private static final ModelSpec MLP = ModelSpec.mlp(32);

  private final List<ByteBuffer> kept = new ArrayList<>();

  @Test
  void aGradientLeadsDownhill() {
    try (Learner learner = new Learner(MLP, IMAGES, 1)) {
      double first = descend(learner, 40);
      double last = descend(learner, 1);
      assertThat(first / 16).isBetween(2.0, 5.0);
      assertThat(last).isLessThan(first / 4);
    }
  }

  @Test
  void aResNetLearns() {
    ModelSpec model = new ModelSpec(ModelSpec.Kind.RESNET, List.of(), 1, 8, 1, null);
    try (Learner learner = new Learner(model, IMAGES, 1)) {
      double first = descend(learner, 15);
      assertThat(descend(learner, 1)).isLessThan(first / 2);
    }
  }

  @Test
  void aTransformerLearns() {
    Dataset text = new GeneratedText(3, 1000, 12, 16);
    ModelSpec model = new ModelSpec(ModelSpec.Kind.TRANSFORMER, List.of(), 1, 16, 2, null);
    try (Learner learner = new Learner(model, text, 1)) {
      double first = descend(learner, 60);
      assertThat(first / 16).isBetween(2.0, 4.5);
      assertThat(descend(learner, 1)).isLessThan(first * 0.9);
    }
  }

  @Test
  void theSameSeedGivesTheSameBits() {
    try (Learner one = new Learner(MLP, IMAGES, 3);
        Learner other = new Learner(MLP, IMAGES, 3)) {
      descend(one, 5);
      descend(other, 5);
      for (int i = 0; i < one.tensors().size(); i++) {
        assertThat(other.tensors().get(i).bytes()).isEqualTo(one.tensors().get(i).bytes());
      }
    }
  }

  @Test
  void gradientsOfPartsAddUpToThatOfTheWhole() {
    try (Learner learner = new Learner(MLP, IMAGES, 1)) {
      FloatBuffer whole = Floats.allocate(learner.size()).asFloatBuffer();
      FloatBuffer parts = Floats.allocate(learner.size()).asFloatBuffer();
      learner.gradient(LongStream.range(0, 16).toArray(), whole);
      learner.gradient(LongStream.range(0, 4).toArray(), parts);
      learner.gradient(LongStream.range(4, 16).toArray(), parts);
      for (int i = 0; i < learner.size(); i++) {
        assertThat(parts.get(i))
            .isCloseTo(whole.get(i), org.assertj.core.data.Offset.offset(2e-3f));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = ModelSpec.Kind.class, names = "TORCHSCRIPT", mode = EnumSource.Mode.EXCLUDE)
  void whatIsCollectedMeanwhileIsNoPartOfAGradient(ModelSpec.Kind kind) throws Exception {
    boolean text = kind == ModelSpec.Kind.TRANSFORMER;
    ModelSpec model = new ModelSpec(kind, List.of(32), 1, 8, 1, null);
    Dataset data = text ? new GeneratedText(3, 1000, 12, 16) : IMAGES;
    AtomicBoolean over = new AtomicBoolean();
    Thread collector = new Thread(() -> collect(over));
    try (Learner learner = new Learner(model, data, 1)) {
      FloatBuffer alone = gradient(learner);
      collector.start();
      for (int i = 0; i < 20; i++) {
        assertThat(gradient(learner)).isEqualTo(alone);
      }
    } finally {
      over.set(true);
      collector.join();
    }
  }

  private static FloatBuffer gradient(Learner learner) {
    FloatBuffer gradient = Floats.allocate(learner.size()).asFloatBuffer();
    learner.gradient(LongStream.range(0, 4).toArray(), gradient);
    return gradient;
  }

  /** Collects garbage and fills the memory outside the heap that this gives back. */
  private void collect(AtomicBoolean over) {
    while (!over.get()) {
      System.gc();
      for (int i = 0; i < 200; i++) {
        kept.add(ByteBuffer.allocateDirect(Float.BYTES + i % 5).putFloat(0, Float.NaN));
      }
    }
  }

  /** Takes so many steps on 16 samples and returns the loss before the first. */
  private static double descend(Learner learner, int steps) {
    VectorOptimizer optimizer =
        new VectorOptimizer(
            new OptimizerSpec(OptimizerSpec.Kind.SGD, 0.05, 0.9, 0.999), learner.size());
    FloatBuffer gradient = Floats.allocate(learner.size()).asFloatBuffer();
    double first = 0;
    for (int step = 1; step <= steps; step++) {
      Floats.clear(gradient);
      double loss = learner.gradient(LongStream.range(0, 16).toArray(), gradient);
      first = step == 1 ? loss : first;
      for (Tensor tensor : learner.tensors()) {
        optimizer.apply(
            step,
            tensor.bytes().asFloatBuffer(),
            tensor.offset(),
            gradient,
            tensor.offset(),
            1f / 16);
      }
    }
    return first;
  }
}
