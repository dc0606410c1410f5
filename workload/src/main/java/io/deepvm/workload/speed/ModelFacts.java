package io.deepvm.workload.speed;

import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.averaging.Resource;
import java.util.HashMap;
import java.util.Map;

/**
 * What a model's definition says of its steps; NaN for what is not known.
 *
 * @param tensors learnable ones: the host starts a few kernels for each
 * @param parameters how many
 */
record ModelFacts(double tensors, double parameters) {

  private static final ModelFacts UNKNOWN = new ModelFacts(Double.NaN, Double.NaN);

  /** Returns what a shape states, and for the rest what is known of a model of this name. */
  static ModelFacts of(ModelShape shape) {
    ModelFacts known = known(shape.name());
    ModelSize size = shape.size();
    return size == null
        ? known
        : new ModelFacts(
            size.tensors() == null ? known.tensors : size.tensors(), size.parameters());
  }

  /** Returns what the presets and the table sizes.csv know of a model, in any spelling. */
  static ModelFacts known(String model) {
    return Table.BY_NAME.getOrDefault(ModelNames.spelling(model), UNKNOWN);
  }

  /** The table, read at the first question. */
  private static final class Table {

    static final Map<String, ModelFacts> BY_NAME = read();

    private static Map<String, ModelFacts> read() {
      Map<String, ModelFacts> facts = new HashMap<>();
      for (String[] cells : Resource.rows(ModelFacts.class, "sizes.csv")) {
        facts.put(
            ModelNames.spelling(cells[0]), new ModelFacts(number(cells[2]), number(cells[1])));
      }
      for (ModelShape shape : ModelPresets.shapes()) {
        ModelSize size = shape.size();
        if (size != null && size.tensors() != null) {
          facts.put(
              ModelNames.spelling(shape.name()), new ModelFacts(size.tensors(), size.parameters()));
        }
      }
      return Map.copyOf(facts);
    }

    private static double number(String cell) {
      return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
    }
  }
}
