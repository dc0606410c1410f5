package io.deepvm.trainer.model;

import io.deepvm.trainer.data.Dataset;
import io.deepvm.units.BadInput;
import java.util.List;

/**
 * Which model is trained.
 *
 * @param hidden the widths of an MLP's hidden layers
 */
public record ModelSpec(Kind kind, List<Integer> hidden) {

  /** The known kinds. */
  public enum Kind {
    MLP("mlp");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  public ModelSpec {
    hidden = List.copyOf(hidden);
    if (hidden.stream().anyMatch(width -> width < 1)) {
      throw new BadInput(
          "The hidden layers %s are not all at least 1 wide.".formatted(hidden),
          "Maybe write hidden: [256, 256].");
    }
  }

  /** Returns the model for samples of this kind. */
  Network network(Dataset data) {
    return switch (kind) {
      case MLP -> new Mlp(hidden, data.inputSize(), data.classes());
    };
  }
}
