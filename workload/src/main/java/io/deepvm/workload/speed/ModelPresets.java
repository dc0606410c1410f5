package io.deepvm.workload.speed;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.averaging.Resource;
import io.deepvm.workload.parallel.Optimizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The well-known models, from the table models.csv; docs/explanation/speeds.md describes it. */
public final class ModelPresets {

  private static final double MEGA = 1e6;

  /** Bytes a parameter in a checkpoint of weights and momentum. */
  private static final double SGD_STATE = 8;

  private ModelPresets() {}

  /** Returns all presets in the table's order. */
  public static List<ModelPreset> all() {
    return Presets.ALL;
  }

  /** Returns the preset of this name in any spelling, or null. */
  public static @Nullable ModelPreset find(String name) {
    String spelling = ModelNames.spelling(name);
    for (ModelPreset preset : Presets.ALL) {
      if (ModelNames.spelling(preset.name()).equals(spelling)
          || ModelNames.spelling(preset.shape().name()).equals(spelling)) {
        return preset;
      }
    }
    return null;
  }

  /** Returns the preset of this name, or says which ones there are. */
  public static ModelPreset named(String name) {
    ModelPreset found = find(name);
    if (found == null) {
      throw new BadInput(
          "There is no model preset '%s'.".formatted(name),
          Suggestion.maybe(
              name,
              all().stream().map(ModelPreset::name).toList(),
              "Maybe see 'deepvm models list', or describe the model in a job file."));
    }
    return found;
  }

  /** Returns the shapes of all presets. */
  static List<ModelShape> shapes() {
    return all().stream().map(ModelPreset::shape).toList();
  }

  /** The columns of the table by name. */
  private record Row(String[] cells) {

    String name() {
      return cells[0];
    }

    ModelPreset preset() {
      DataSize activations = new DataSize(Math.round(number(7) * MEGA));
      ModelShape shape =
          new ModelShape(
              cells[1],
              new ModelSize(number(3), (int) number(5), number(4)),
              number(6),
              activations,
              cells[9].isEmpty() ? null : (int) number(9));
      return new ModelPreset(
          name(),
          cells[2],
          shape,
          Precision.valueOf(cells[10].toUpperCase(Locale.ROOT)),
          (int) number(8),
          cells[15],
          yaml(activations));
    }

    private double number(int column) {
      return Double.parseDouble(cells[column]);
    }

    private String yaml(DataSize activations) {
      String size = cells[9].isEmpty() ? "" : ", sampleSize: " + cells[9];
      DataSize checkpoint = new DataSize(Math.round(number(3) * number(11)));
      return """
      # %s: %s
      # Source: %s
      name: %s
      precision: %s
      batch: %s               # samples that one GPU takes in a step
      checkpoint: %s
      model: {name: %s, parameters: %s%s, tensors: %s%s}
      training: {optimizer: %s, activations: %s}   # of one sample
      work:
        epochs: %s
        samplesPerEpoch: %s   # %s
        flopPerSample: %s
      """
          .formatted(
              name(),
              cells[2],
              cells[15],
              name(),
              cells[10],
              cells[8],
              checkpoint,
              cells[1],
              cells[3],
              number(4) < number(3) ? ", trained: " + cells[4] : "",
              cells[5],
              size,
              number(11) == SGD_STATE ? Optimizer.SGD : Optimizer.ADAM,
              activations,
              cells[14],
              cells[13],
              cells[12],
              cells[6]);
    }
  }

  /** The table, read at the first question. */
  private static final class Presets {

    static final List<ModelPreset> ALL = read();

    private static List<ModelPreset> read() {
      List<ModelPreset> presets = new ArrayList<>();
      for (String[] cells : Resource.rows(ModelPresets.class, "models.csv")) {
        presets.add(new Row(cells).preset());
      }
      return List.copyOf(presets);
    }
  }
}
