package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.MeasuredSpeeds;
import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.workload.parallel.TrainingSetup;
import io.deepvm.workload.speed.MeasuredSpeedModel;
import io.deepvm.workload.speed.ModelPreset;
import io.deepvm.workload.speed.ModelPresets;
import io.deepvm.workload.speed.ModelShape;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** One machine and a model, whose speed is asked for. */
final class SpeedOptions {

  /** The options that only make sense with {@code --model}. */
  static final List<String> NAMES =
      List.of("--precision", "--batch", "--sample-size", "--measurements", "--source");

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "Instead of --cluster: how fast one machine trains a model of 'deepvm models list', or"
              + " any model that was measured.")
  @Nullable String model;

  @Option(
      names = "--precision",
      paramLabel = "fp32|tf32|fp16|bf16|fp8",
      description = "The number format trained in (default: the model's, else fp16).")
  private @Nullable Precision precision;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Samples of one GPU in a step (default: the largest measured).")
  private @Nullable Integer batch;

  @Option(
      names = "--sample-size",
      paramLabel = "N",
      description = "Edge of an image, or tokens of a sequence (default: the model's).")
  private @Nullable Integer sampleSize;

  @Option(
      names = "--measurements",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description =
          "Own measured speeds, as CSV with the columns model, gpu and samples_per_s at least.")
  private @Nullable Path measurements;

  @Option(
      names = "--source",
      paramLabel = "NAME",
      description = "Start from the rows of this source only, such as profet.")
  private @Nullable String source;

  /** Returns the question that the options ask. */
  SpeedQuestion question(GpuClusterOption machine) {
    String name = model == null ? "" : model;
    ModelPreset preset = ModelPresets.find(name);
    ModelShape shape = preset == null ? ModelShape.named(name) : preset.shape();
    Integer size = sampleSize == null ? shape.sampleSize() : sampleSize;
    return new SpeedQuestion(
        new ModelShape(
            shape.name(), shape.size(), shape.flopPerSample(), shape.activations(), size),
        machine.node().model(),
        (int) machine.node().count(),
        precision != null ? precision : preset != null ? preset.precision() : Precision.FP16,
        batch);
  }

  /** Returns how the model is usually trained. */
  TrainingSetup setup() {
    ModelPreset preset = ModelPresets.find(model == null ? "" : model);
    return preset == null ? TrainingSetup.USUAL : preset.job().profiles().training();
  }

  /** Returns the answer, or says what it lacks. */
  SpeedEstimate answer(SpeedQuestion question) {
    MeasuredSpeedModel speeds = speeds(question);
    SpeedEstimate estimate = speeds.answer(question);
    if (estimate == null) {
      TreeSet<String> names = new TreeSet<>(speeds.measuredModels());
      ModelPresets.all().forEach(preset -> names.add(preset.name()));
      throw new BadInput(
          "It is unknown how fast %s trains '%s'."
              .formatted(question.gpu().name(), question.model().name()),
          Suggestion.maybe(
              question.model().name(),
              names,
              "Maybe measure it on one GPU and give that with --measurements."));
    }
    return estimate;
  }

  private MeasuredSpeedModel speeds(SpeedQuestion question) {
    MeasuredSpeedModel builtIn = MeasuredSpeedModel.builtIn();
    String name = question.model().name();
    if (source != null) {
      List<MeasuredSpeed> rows = ofModel(name, MeasuredSpeeds.builtIn());
      List<MeasuredSpeed> kept =
          rows.stream().filter(row -> row.source().name().equals(source)).toList();
      if (kept.isEmpty()) {
        throw new BadInput(
            "The source '%s' did not measure '%s'.".formatted(source, name),
            Suggestion.maybe(
                source,
                rows.stream().map(row -> row.source().name()).distinct().toList(),
                "Maybe leave --source out."));
      }
      builtIn = builtIn.without(name).with(kept);
    }
    if (measurements == null) {
      return builtIn;
    }
    List<MeasuredSpeed> own = MeasuredSpeeds.read(measurements);
    // The user's own software counts, not that of others who measured the same model.
    return ofModel(name, own).isEmpty() ? builtIn.with(own) : builtIn.without(name).with(own);
  }

  private static List<MeasuredSpeed> ofModel(String name, List<MeasuredSpeed> rows) {
    String spelling = ModelNames.spelling(name);
    return rows.stream().filter(row -> ModelNames.spelling(row.model()).equals(spelling)).toList();
  }
}
