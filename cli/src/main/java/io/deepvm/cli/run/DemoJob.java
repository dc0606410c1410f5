package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The jobs that stand in when the user brings none: one to plan for, one to train here. */
final class DemoJob {

  /** What the built-in trainer trains: a classifier of generated 32 x 32 images. */
  private static final String TRAINING =
      """
      # Stands for the plan's job on this machine. See docs/explanation/trainer.md.
      name: images
      strategy: averaging
      model: {kind: mlp, hidden: [96, 96]}
      data: {kind: generated-images, samples: 20000, noise: 3}
      batch: {micro: 32, target: 1024}
      work: {steps: %d}
      optimizer: {kind: sgd, rate: 0.0001, momentum: 0.9}
      seed: 1
      checkpoint: {folder: checkpoints, every: 10}
      """;

  /** More steps than anybody waits for who only wants to know how long one takes. */
  static final int ENDLESS = 1_000_000;

  private DemoJob() {}

  /** Writes what the built-in trainer trains. */
  static void writeTraining(Path file, int steps) {
    AtomicFile.writePrivate(file, TRAINING.formatted(steps));
  }

  /** Writes the job file that a cluster is planned for. */
  static void writePlanned(Path file) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DemoJob.class.getResourceAsStream("demo-job.yaml"))) {
      AtomicFile.write(file, target -> Files.write(target, in.readAllBytes()));
    }
  }
}
