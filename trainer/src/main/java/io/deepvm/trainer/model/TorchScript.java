package io.deepvm.trainer.model;

import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.loss.Loss;
import io.deepvm.base.BadInput;
import io.deepvm.trainer.data.Dataset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model that the user exported with torch.jit: images in as (n, 3, 32, 32), or tokens as (n,
 * length) of floats, and scores out, one a class or token. Only its parameters are kept equal among
 * members and saved, not the running statistics of batch normalisation.
 */
final class TorchScript implements NeuralNetwork {

  private static final int SIDE = 32;

  private final Loss loss = Loss.softmaxCrossEntropyLoss();
  private final Model model;
  private final Dataset data;

  TorchScript(@Nullable Path file, Dataset data) {
    this.data = data;
    if (file == null || !Files.isRegularFile(file)) {
      throw new BadInput(
          "There is no TorchScript file %s.".formatted(file), "Maybe write model.file: PATH.");
    }
    model = Model.newInstance("torchscript", "PyTorch");
    try {
      model.load(
          file.toAbsolutePath().getParent(),
          String.valueOf(file.getFileName()),
          Map.of("trainParam", "true"));
    } catch (IOException | MalformedModelException e) {
      throw new BadInput(
          "%s cannot be loaded: %s".formatted(file, e.getMessage()),
          "Maybe save it with torch.jit.script(model).save(PATH).");
    }
    // The engine loads it for inference and then takes it for one that trains already.
    JniUtils.enableTrainingMode((PtSymbolBlock) model.getBlock());
  }

  @Override
  public void close() {
    model.close();
  }

  @Override
  public Block block() {
    return model.getBlock();
  }

  @Override
  public Shape input(int samples) {
    return data.labelSize() == 1
        ? new Shape(samples, 3, SIDE, SIDE)
        : new Shape(samples, data.inputSize());
  }

  @Override
  public NDArray loss(NDList output, NDArray labels) {
    NDArray scores = output.singletonOrThrow();
    return loss.evaluate(
        new NDList(labels.reshape(labels.size())), new NDList(scores.reshape(-1, data.classes())));
  }
}
