package io.deepvm.trainer.model;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.AbstractBlock;
import ai.djl.nn.Parameter;
import ai.djl.training.ParameterStore;
import ai.djl.training.initializer.Initializer;
import ai.djl.util.PairList;
import org.jspecify.annotations.Nullable;

/**
 * Normalises groups of channels of each image. Unlike batch normalisation it has no statistics that
 * run on beside the parameters, so members with equal parameters are equal.
 */
final class ChannelNorm extends AbstractBlock {

  private static final double EPSILON = 1e-5;

  private final int groups;
  private final Parameter gamma;
  private final Parameter beta;

  ChannelNorm(int groups) {
    this.groups = groups;
    gamma =
        addParameter(
            Parameter.builder()
                .setName("gamma")
                .setType(Parameter.Type.GAMMA)
                .optInitializer(Initializer.ONES)
                .build());
    beta =
        addParameter(
            Parameter.builder()
                .setName("beta")
                .setType(Parameter.Type.BETA)
                .optInitializer(Initializer.ZEROS)
                .build());
  }

  @Override
  protected void prepare(Shape[] inputShapes) {
    Shape perChannel = new Shape(1, inputShapes[0].get(1), 1, 1);
    gamma.setShape(perChannel);
    beta.setShape(perChannel);
  }

  @Override
  public Shape[] getOutputShapes(Shape[] inputShapes) {
    return inputShapes;
  }

  @Override
  protected NDList forwardInternal(
      ParameterStore store,
      NDList inputs,
      boolean training,
      @Nullable PairList<String, Object> options) {
    NDArray x = inputs.singletonOrThrow();
    Shape shape = x.getShape();
    NDArray rows = x.reshape(shape.get(0) * groups, shape.size() / shape.get(0) / groups);
    int[] across = {1};
    NDArray centered = rows.sub(rows.mean(across, true));
    NDArray deviation = centered.square().mean(across, true).add(EPSILON).sqrt();
    NDArray normal = centered.div(deviation).reshape(shape);
    return new NDList(
        normal
            .mul(store.getValue(gamma, x.getDevice(), training))
            .add(store.getValue(beta, x.getDevice(), training)));
  }
}
