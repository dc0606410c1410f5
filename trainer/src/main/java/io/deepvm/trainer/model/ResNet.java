package io.deepvm.trainer.model;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.ParallelBlock;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.loss.Loss;
import java.util.List;

/**
 * A residual network for images of 32 x 32 (He et al., "Deep Residual Learning", 2016, section
 * 4.2): three stages of this many blocks of two convolutions, with {@link ChannelNorm}.
 */
final class ResNet implements NeuralNetwork {

  private static final int SIDE = 32;
  private static final int GROUPS = 4;

  private final Loss loss = Loss.softmaxCrossEntropyLoss();
  private final SequentialBlock layers = new SequentialBlock();

  ResNet(int blocks, int width, int classes) {
    layers.add(convolution(width, 3, 1)).add(new ChannelNorm(GROUPS)).add(Activation::relu);
    for (int stage = 0; stage < 3; stage++) {
      for (int block = 0; block < blocks; block++) {
        int channels = width << stage;
        boolean down = stage > 0 && block == 0;
        layers.add(residual(channels, down ? 2 : 1, down)).add(Activation::relu);
      }
    }
    layers
        .add(Pool.globalAvgPool2dBlock())
        .add(Blocks.batchFlattenBlock())
        .add(Linear.builder().setUnits(classes).build());
  }

  private static Block residual(int channels, int stride, boolean project) {
    Block way =
        new SequentialBlock()
            .add(convolution(channels, 3, stride))
            .add(new ChannelNorm(GROUPS))
            .add(Activation::relu)
            .add(convolution(channels, 3, 1))
            .add(new ChannelNorm(GROUPS));
    Block shortcut = project ? convolution(channels, 1, stride) : Blocks.identityBlock();
    return new ParallelBlock(
        outputs ->
            new NDList(outputs.get(0).singletonOrThrow().add(outputs.get(1).singletonOrThrow())),
        List.of(way, shortcut));
  }

  private static Conv2d convolution(int channels, int size, int stride) {
    return Conv2d.builder()
        .setKernelShape(new Shape(size, size))
        .optPadding(new Shape(size / 2, size / 2))
        .optStride(new Shape(stride, stride))
        .optBias(false)
        .setFilters(channels)
        .build();
  }

  @Override
  public Block block() {
    return layers;
  }

  @Override
  public Shape input(int samples) {
    return new Shape(samples, 3, SIDE, SIDE);
  }

  @Override
  public NDArray loss(NDList output, NDArray labels) {
    return loss.evaluate(new NDList(labels), output);
  }
}
