package io.deepvm.trainer.model;

import io.deepvm.base.BadInput;
import io.deepvm.trainer.data.Dataset;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which model is trained.
 *
 * @param hidden the widths of an MLP's hidden layers
 * @param blocks how many blocks a stage of a ResNet, or a transformer, has
 * @param width a ResNet's first channels, a transformer's embedding
 * @param heads of a transformer
 * @param file a TorchScript file that the user exported
 */
public record ModelSpec(
    Kind kind, List<Integer> hidden, int blocks, int width, int heads, @Nullable Path file) {

  /** The known kinds. */
  public enum Kind {
    MLP("mlp"),
    RESNET("resnet"),
    TRANSFORMER("transformer"),
    TORCHSCRIPT("torchscript");

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
    if (hidden.stream().anyMatch(layer -> layer < 1)) {
      throw new BadInput(
          "The hidden layers %s are not all at least 1 wide.".formatted(hidden),
          "Maybe write hidden: [256, 256].");
    }
    if (blocks < 1 || heads < 1 || width < 1 || width % 4 != 0 || width % heads != 0) {
      throw new BadInput(
          "The model has %d blocks, width %d and %d heads.".formatted(blocks, width, heads),
          "Maybe take at least 1 block, and a width that 4 and the heads divide.");
    }
  }

  /** Returns an MLP with these hidden layers. */
  public static ModelSpec mlp(Integer... hidden) {
    return new ModelSpec(Kind.MLP, List.of(hidden), 1, 16, 4, null);
  }

  /** Returns the model for samples of this kind. */
  NeuralNetwork network(Dataset data) {
    if (kind != Kind.TORCHSCRIPT && (kind == Kind.TRANSFORMER) != (data.labelSize() > 1)) {
      throw new BadInput(
          "A model of kind %s does not fit the data.".formatted(kind),
          "Maybe train a transformer on text, and the others on images.");
    }
    return switch (kind) {
      case MLP -> new Mlp(hidden, data.inputSize(), data.classes());
      case RESNET -> new ResNet(blocks, width, data.classes());
      case TRANSFORMER -> new Transformer(blocks, width, heads, data.inputSize(), data.classes());
      case TORCHSCRIPT -> new TorchScript(file, data);
    };
  }
}
