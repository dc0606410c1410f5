package io.deepvm.trainer.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.deepvm.trainer.data.GeneratedImages;
import io.deepvm.trainer.vector.Floats;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TorchScriptIT {

  private static final String EXPORT =
      """
      import sys, torch
      model = torch.nn.Sequential(
          torch.nn.Conv2d(3, 4, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(),
          torch.nn.Linear(4 * 15 * 15, 10))
      torch.jit.script(model).save(sys.argv[1])
      """;

  @TempDir Path folder;

  private ModelSpec exported(String script) throws Exception {
    Path file = folder.resolve("model.pt");
    Process python =
        new ProcessBuilder("/usr/bin/python3", "-c", script, file.toString()).inheritIO().start();
    assumeThat(python.waitFor(2, TimeUnit.MINUTES) && python.exitValue() == 0)
        .as("Python has torch")
        .isTrue();
    return new ModelSpec(ModelSpec.Kind.TORCHSCRIPT, List.of(), 1, 16, 4, file);
  }

  private static float[] gradient(Learner learner, long position) {
    FloatBuffer gradient = Floats.allocate(learner.size()).asFloatBuffer();
    learner.draw(position);
    learner.gradient(LongStream.range(0, 16).toArray(), gradient);
    float[] values = new float[learner.size()];
    gradient.get(values);
    return values;
  }

  @Test
  void whatIsDroppedOutDependsOnThePositionAndNotOnWhatWasComputedBefore() throws Exception {
    ModelSpec spec =
        exported(EXPORT.replace("torch.nn.ReLU(),", "torch.nn.ReLU(), torch.nn.Dropout(0.5),"));
    float[] second;
    try (Learner whole = new Learner(spec, new GeneratedImages(7, 1000, 10, 0.5), 1)) {
      float[] first = gradient(whole, 0);
      second = gradient(whole, 16);
      assertThat(second).isNotEqualTo(first);
    }
    try (Learner resumed = new Learner(spec, new GeneratedImages(7, 1000, 10, 0.5), 1)) {
      assertThat(gradient(resumed, 16)).isEqualTo(second);
    }
  }

  @Test
  void aModelExportedFromPythonIsTrainedHere() throws Exception {
    ModelSpec spec = exported(EXPORT);
    try (Learner learner = new Learner(spec, new GeneratedImages(7, 1000, 10, 0.5), 1)) {
      assertThat(learner.size()).isEqualTo(3 * 4 * 9 + 4 + 900 * 10 + 10);
      FloatBuffer gradient = Floats.allocate(learner.size()).asFloatBuffer();
      long[] samples = LongStream.range(0, 16).toArray();
      double first = learner.gradient(samples, gradient);
      double last = first;
      for (int step = 0; step < 30; step++) {
        learner.descend(gradient, 0.05f / 16);
        Floats.clear(gradient);
        last = learner.gradient(samples, gradient);
      }
      assertThat(last).isLessThan(first / 2);
    }
  }
}
