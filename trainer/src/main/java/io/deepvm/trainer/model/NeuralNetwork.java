package io.deepvm.trainer.model;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;

/** A model and its loss, in the engine's terms. */
interface NeuralNetwork extends AutoCloseable {

  /** Returns the layers. */
  Block block();

  /** Returns the shape of the input for this many samples. */
  Shape input(int samples);

  /** Gives back what it holds beside its parameters. */
  @Override
  default void close() {}

  /** Returns the mean loss of what the block put out. */
  NDArray loss(NDList output, NDArray labels);
}
