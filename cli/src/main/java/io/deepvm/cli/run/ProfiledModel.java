package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.speed.ModelPreset;
import io.deepvm.workload.speed.ModelPresets;
import io.deepvm.workload.speed.ModelShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a measured command trains, as far as its output does not say it. */
final class ProfiledModel {

  /** The share of the peak that stands for operations that are not known. */
  private static final double USUAL_UTILISATION = 0.35;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "Write this model into the job file of a command: its size says how several GPUs scale."
              + " A name of 'deepvm models list', else any with --parameters.")
  private @Nullable String name;

  @Option(
      names = "--parameters",
      paramLabel = "N",
      description = "The parameters of --model, such as 25.6e6 (default: those of the list).")
  private @Nullable Double parameters;

  @Option(
      names = "--work",
      paramLabel = "SAMPLES",
      description = "Write the samples of the whole training, such as 1.2e8, into the job file.")
  private @Nullable Double samples;

  /** Refuses what cannot be written. */
  void check() {
    if (parameters != null && (name == null || !(parameters >= 1))) {
      throw new BadInput(
          name == null
              ? "--parameters belongs to --model."
              : "A model of %s parameters is none.".formatted(parameters),
          "Maybe --model my-net --parameters 25.6e6.");
    }
    if (samples != null && !(samples > 0)) {
      throw new BadInput("%s samples are no work.".formatted(samples), "Maybe --work 1.2e8.");
    }
    if (name != null && !name.matches("[A-Za-z][A-Za-z0-9._-]*")) {
      throw new BadInput(
          "'%s' is not the name of a model.".formatted(name), "Maybe --model resnet50.");
    }
  }

  /** Returns the lines of the job file that state the model and the work. */
  List<String> lines(Gpus node, double samplesPerSecond) {
    ModelPreset preset = name == null ? null : ModelPresets.find(name);
    ModelShape shape = preset == null ? null : preset.shape();
    List<String> lines = new ArrayList<>();
    if (name != null) {
      lines.add(model(shape));
    }
    if (samples != null) {
      Double known = shape == null ? null : shape.flopPerSample();
      Double assumed = known == null ? assumedFlop(node, samplesPerSecond) : null;
      Double flop = known == null ? assumed : known;
      if (flop != null) {
        lines.add(
            "work: {samples: %s, flopPerSample: %s}%s"
                .formatted(
                    samples,
                    Numbers.print(flop, 4).replace(",", ""),
                    assumed == null ? "" : "   # operations assumed: 35 % of the peak"));
      }
    }
    return lines;
  }

  private String model(@Nullable ModelShape shape) {
    ModelSize size = shape == null ? null : shape.size();
    if (parameters != null) {
      return "model: {name: %s, parameters: %s}".formatted(name, parameters);
    }
    if (size == null) {
      return "model: {name: %s}   # add parameters: several GPUs scale by them".formatted(name);
    }
    return "model: {name: %s, parameters: %s, trained: %s%s}"
        .formatted(
            name,
            size.parameters(),
            size.trained(),
            size.tensors() == null ? "" : ", tensors: " + size.tensors());
  }

  private static @Nullable Double assumedFlop(Gpus node, double samplesPerSecond) {
    Double peak = node.model().flops(Precision.FP16);
    return peak == null ? null : USUAL_UTILISATION * peak * node.count() / samplesPerSecond;
  }
}
