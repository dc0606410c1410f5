package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import io.deepvm.workload.speed.ModelPresets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is trained: a job file, or a well-known model. */
public final class JobOptions {

  @Option(
      names = "--job",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What is trained, as YAML (default: nothing is known of it).")
  private @Nullable Path file;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "Instead of --job: a model of 'deepvm models list', such as resnet50.")
  private @Nullable String model;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      description = "How often --model sees its data set (default: what is usual for it).")
  private @Nullable Double epochs;

  /** Returns the job, which is unstated when no option names one. */
  public Job job() {
    if (epochs != null && (model == null || !(epochs > 0))) {
      throw new BadInput(
          model == null
              ? "--epochs belongs to --model."
              : "%s epochs are not above 0.".formatted(epochs),
          model == null ? "Maybe write the epochs into the job file." : "Maybe --epochs 90.");
    }
    if (model == null) {
      return file == null ? Job.UNSTATED : JobFile.read(file);
    }
    if (file != null) {
      throw new BadInput(
          "--job and --model both say what is trained.",
          "Maybe print the model with 'deepvm models show %s' and edit that.".formatted(model));
    }
    return epochs == null ? ModelPresets.named(model).job() : ModelPresets.named(model).job(epochs);
  }
}
