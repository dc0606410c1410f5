package io.deepvm.trainer.model;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.AbstractBlock;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.LayerNorm;
import ai.djl.training.ParameterStore;
import ai.djl.training.initializer.NormalInitializer;
import ai.djl.training.loss.Loss;
import ai.djl.util.PairList;
import org.jspecify.annotations.Nullable;

/** A small language model: each token is predicted from those before it. */
final class Transformer implements NeuralNetwork {

  private final Loss loss = Loss.softmaxCrossEntropyLoss();
  private final SequentialBlock layers = new SequentialBlock();
  private final int length;
  private final int tokens;

  Transformer(int blocks, int width, int heads, int length, int tokens) {
    this.length = length;
    this.tokens = tokens;
    layers.add(new Embedding(tokens, length, width));
    for (int i = 0; i < blocks; i++) {
      layers.add(new Attention(width, heads, length));
      layers.add(new Residual(width));
    }
    layers.add(LayerNorm.builder().axis(2).build());
    layers.add(Linear.builder().setUnits(tokens).build());
  }

  @Override
  public Block block() {
    return layers;
  }

  @Override
  public Shape input(int samples) {
    return new Shape(samples, length);
  }

  @Override
  public NDArray loss(NDList output, NDArray labels) {
    NDArray scores = output.singletonOrThrow();
    return loss.evaluate(
        new NDList(labels.reshape(labels.size())), new NDList(scores.reshape(-1, tokens)));
  }

  /** Tokens and places as vectors. */
  private static final class Embedding extends AbstractBlock {

    private final int tokens;
    private final Parameter words;
    private final Parameter places;

    Embedding(int tokens, int length, int width) {
      this.tokens = tokens;
      words = addParameter(matrix("words", tokens, width));
      places = addParameter(matrix("places", length, width));
    }

    private static Parameter matrix(String name, int rows, int columns) {
      return Parameter.builder()
          .setName(name)
          .setType(Parameter.Type.WEIGHT)
          .optShape(new Shape(rows, columns))
          .optInitializer(new NormalInitializer(0.02f))
          .build();
    }

    @Override
    public Shape[] getOutputShapes(Shape[] inputs) {
      return new Shape[] {inputs[0].add(words.getShape().get(1))};
    }

    @Override
    protected NDList forwardInternal(
        ParameterStore store,
        NDList inputs,
        boolean training,
        @Nullable PairList<String, Object> options) {
      NDArray x = inputs.singletonOrThrow();
      NDArray vectors = x.oneHot(tokens).matMul(store.getValue(words, x.getDevice(), training));
      return new NDList(vectors.add(store.getValue(places, x.getDevice(), training)));
    }
  }

  /** Lets each place look at itself and those before it. */
  private static final class Attention extends AbstractBlock {

    private static final float NEVER = -1e9f;

    private final int width;
    private final int heads;
    private final int length;
    private final Block norm = addChildBlock("norm", LayerNorm.builder().axis(2).build());
    private final Block in;
    private final Block out;

    Attention(int width, int heads, int length) {
      this.width = width;
      this.heads = heads;
      this.length = length;
      in = addChildBlock("in", Linear.builder().setUnits(3L * width).build());
      out = addChildBlock("out", Linear.builder().setUnits(width).build());
    }

    @Override
    protected void initializeChildBlocks(
        ai.djl.ndarray.NDManager manager, ai.djl.ndarray.types.DataType type, Shape... inputs) {
      norm.initialize(manager, type, inputs);
      in.initialize(manager, type, inputs);
      out.initialize(manager, type, inputs);
    }

    @Override
    public Shape[] getOutputShapes(Shape[] inputs) {
      return inputs;
    }

    @Override
    protected NDList forwardInternal(
        ParameterStore store,
        NDList inputs,
        boolean training,
        @Nullable PairList<String, Object> options) {
      NDArray x = inputs.singletonOrThrow();
      long samples = x.getShape().get(0);
      NDArray all =
          in.forward(store, norm.forward(store, inputs, training), training)
              .singletonOrThrow()
              .reshape(samples, length, 3, heads, width / heads)
              .transpose(2, 0, 3, 1, 4);
      NDArray query = all.get(0);
      NDArray key = all.get(1);
      NDArray value = all.get(2);
      NDArray places = x.getManager().arange((float) length);
      NDArray future =
          places.reshape(1, length).gt(places.reshape(length, 1)).toType(x.getDataType(), false);
      // Not div(Number): the engine reads that number again for the gradient, when its memory may
      // have been collected. This one lives as long as what is computed.
      NDArray scale = x.getManager().create((float) (1 / Math.sqrt(width / (double) heads)));
      NDArray weights =
          query.matMul(key.swapAxes(2, 3)).mul(scale).add(future.mul(NEVER)).softmax(-1);
      NDArray seen = weights.matMul(value).transpose(0, 2, 1, 3).reshape(samples, length, width);
      return new NDList(x.add(out.forward(store, new NDList(seen), training).singletonOrThrow()));
    }
  }

  /** Two layers applied at each place. */
  private static final class Residual extends AbstractBlock {

    private final Block way;

    Residual(int width) {
      way =
          addChildBlock(
              "way",
              new SequentialBlock()
                  .add(LayerNorm.builder().axis(2).build())
                  .add(Linear.builder().setUnits(4L * width).build())
                  .add(Activation::gelu)
                  .add(Linear.builder().setUnits(width).build()));
    }

    @Override
    protected void initializeChildBlocks(
        ai.djl.ndarray.NDManager manager, ai.djl.ndarray.types.DataType type, Shape... inputs) {
      way.initialize(manager, type, inputs);
    }

    @Override
    public Shape[] getOutputShapes(Shape[] inputs) {
      return inputs;
    }

    @Override
    protected NDList forwardInternal(
        ParameterStore store,
        NDList inputs,
        boolean training,
        @Nullable PairList<String, Object> options) {
      NDArray x = inputs.singletonOrThrow();
      return new NDList(x.add(way.forward(store, inputs, training).singletonOrThrow()));
    }
  }
}
