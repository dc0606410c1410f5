package io.deepvm.trainer.model;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.loss.Loss;
import java.util.List;

/** Fully connected layers. */
final class Mlp implements NeuralNetwork {

  private final SequentialBlock layers = new SequentialBlock();
  private final Loss loss = Loss.softmaxCrossEntropyLoss();
  private final int inputs;

  Mlp(List<Integer> hidden, int inputs, int classes) {
    this.inputs = inputs;
    for (int width : hidden) {
      layers.add(Linear.builder().setUnits(width).build());
      layers.add(Activation::relu);
    }
    layers.add(Linear.builder().setUnits(classes).build());
  }

  @Override
  public Block block() {
    return layers;
  }

  @Override
  public Shape input(int samples) {
    return new Shape(samples, inputs);
  }

  @Override
  public NDArray loss(NDList output, NDArray labels) {
    return loss.evaluate(new NDList(labels), output);
  }
}
