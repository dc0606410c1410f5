package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Precision;
import org.jspecify.annotations.Nullable;

/**
 * What a model needs while it is trained, by which it can be split.
 *
 * @param weightBytes of one parameter, and of its gradient
 * @param optimizerBytes of one parameter
 * @param activationBytes of one sample, all kept from forward to backward
 * @param boundaryBytes of one sample's activations between two layers
 * @param trained parameters with a gradient and an optimizer's state; the rest has weights alone
 */
public record ModelNeeds(
    double parameters,
    int weightBytes,
    int optimizerBytes,
    double activationBytes,
    double boundaryBytes,
    int layers,
    double trained) {

  /** Width of a language model over the number of its layers: 128 at 7B, 102 at 70B. */
  private static final double WIDTH_PER_LAYER = 110;

  /** Parameters of a transformer's layer over its squared width. */
  private static final double PARAMETERS_PER_LAYER = 12;

  /** Bytes that a transformer's layer keeps for backward, by token and width, in 16 bits. */
  private static final double KEPT_PER_LAYER = 34;

  private static final double FLOP_PER_PARAMETER_AND_TOKEN = 6;

  /** The needs of a model of which every parameter is trained. */
  public ModelNeeds(
      double parameters,
      int weightBytes,
      int optimizerBytes,
      double activationBytes,
      double boundaryBytes,
      int layers) {
    this(
        parameters,
        weightBytes,
        optimizerBytes,
        activationBytes,
        boundaryBytes,
        layers,
        parameters);
  }

  public ModelNeeds {
    if (!(parameters > 0 && activationBytes >= 0 && boundaryBytes >= 0) || layers < 1) {
      throw new BadInput(
          "A model of %s parameters in %d layers cannot be split.".formatted(parameters, layers),
          "Maybe write model: {parameters: 6.74e9}.");
    }
  }

  /**
   * Returns the needs of a model of which the layers are not known: a transformer of usual
   * proportions with as many parameters. Tokens follow from the operations of a sample.
   *
   * @param activations of one sample where they are stated; else those of that transformer
   */
  public static ModelNeeds of(
      double parameters,
      Precision precision,
      Optimizer optimizer,
      double flopPerSample,
      @Nullable DataSize activations) {
    int bytes = precision == Precision.FP32 || precision == Precision.TF32 ? 4 : 2;
    double width = Math.cbrt(parameters * WIDTH_PER_LAYER / PARAMETERS_PER_LAYER);
    int layers = (int) Math.max(1, Math.round(width / WIDTH_PER_LAYER));
    double tokens = flopPerSample / (FLOP_PER_PARAMETER_AND_TOKEN * parameters);
    double kept = KEPT_PER_LAYER * bytes / 2 * tokens * width * layers;
    return new ModelNeeds(
        parameters,
        bytes,
        optimizer.bytes(bytes),
        activations == null ? kept : activations.bytes(),
        bytes * tokens * width,
        layers);
  }

  /** Returns the bytes of all gradients. */
  public double gradientBytes() {
    return trained * weightBytes;
  }

  /** Returns the bytes of all weights. */
  double weightsBytes() {
    return parameters * weightBytes;
  }

  /** Returns the same where this many parameters are trained and the others are not. */
  public ModelNeeds training(double some) {
    return new ModelNeeds(
        parameters, weightBytes, optimizerBytes, activationBytes, boundaryBytes, layers, some);
  }

  /** Returns what one GPU that holds the whole model needs for this many samples at once. */
  public MemoryUse whole(int samples) {
    return new MemoryUse(
        weightsBytes(), gradientBytes(), trained * optimizerBytes, samples * activationBytes);
  }
}
