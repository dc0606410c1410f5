package io.deepvm.trainer.model;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Parameter;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.util.Pair;
import io.deepvm.trainer.data.Dataset;
import io.deepvm.trainer.data.SampleOrder;
import io.deepvm.trainer.vector.Floats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A model with its data: gives gradients of samples. One thread at a time. */
public final class Learner implements AutoCloseable {

  /** Kept, because a level set on a logger that nobody holds is forgotten. */
  private static final Logger ENGINE = Logger.getLogger("ai.djl");

  private final ModelSpec model;
  private final long seed;
  private final Dataset data;
  private final NeuralNetwork network;
  private final NDManager manager;
  private final ParameterStore store;
  private final List<Parameter> trained = new ArrayList<>();
  private final List<Tensor> tensors = new ArrayList<>();
  private final int size;

  /** Makes the model, its parameters drawn from the seed. */
  public Learner(ModelSpec model, Dataset data, long seed) {
    // It logs its set-up at length, and warns of GPUs that nobody asked for.
    ENGINE.setLevel(Level.SEVERE);
    // The natives come with the program; nothing is looked for elsewhere.
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
    System.setProperty("ai.djl.pytorch.num_threads", "1");
    this.model = model;
    this.seed = seed;
    this.data = data;
    Engine engine = Engine.getEngine("PyTorch");
    engine.setRandomSeed((int) (seed ^ seed >>> 32));
    manager = engine.newBaseManager();
    network = model.network(data);
    if (!network.block().isInitialized()) {
      network.block().initialize(manager, DataType.FLOAT32, network.input(1));
    }
    store = new ParameterStore(manager, false);
    int offset = 0;
    for (Pair<String, Parameter> entry : network.block().getParameters()) {
      Parameter parameter = entry.getValue();
      if (parameter.requiresGradient()) {
        NDArray array = parameter.getArray();
        array.setRequiresGradient(true);
        List<Long> shape = new ArrayList<>();
        for (long dimension : array.getShape().getShape()) {
          shape.add(dimension);
        }
        trained.add(parameter);
        tensors.add(new Tensor(entry.getKey(), shape, offset, alias(array)));
        offset = Math.addExact(offset, Math.toIntExact(array.size()));
      }
    }
    size = offset;
  }

  /** Draws the parameters from the seed again. */
  public void reset() {
    try (Learner fresh = new Learner(model, data, seed)) {
      for (int i = 0; i < tensors.size(); i++) {
        tensors.get(i).bytes().duplicate().put(fresh.tensors.get(i).bytes().duplicate());
      }
    }
  }

  /** Returns the bytes of an array themselves, not a copy. */
  private static ByteBuffer alias(NDArray array) {
    ByteBuffer bytes = array.toByteBuffer(true);
    if (!bytes.isDirect()) {
      throw new IllegalStateException("The engine does not give its memory away.");
    }
    return bytes.order(ByteOrder.nativeOrder());
  }

  /** Returns the parameters, in an order that is always the same. */
  public List<Tensor> tensors() {
    return tensors;
  }

  /** Takes one plain step of its own. */
  public void descend(FloatBuffer gradient, float rate) {
    for (Tensor tensor : tensors) {
      FloatBuffer values = tensor.bytes().asFloatBuffer();
      Floats.addScaled(values, 0, gradient.slice(tensor.offset(), values.limit()), -rate);
    }
  }

  /** Returns how many samples there are. */
  public long samples() {
    return data.size();
  }

  /** Returns how many floats the parameters are. */
  public int size() {
    return size;
  }

  /**
   * What the model draws by itself, such as what it drops out, shall be that of the micro-batch
   * that begins at this position: on any member, after any other work.
   */
  public void draw(long position) {
    long mixed = SampleOrder.mix(seed + SampleOrder.mix(position));
    Engine.getEngine("PyTorch").setRandomSeed((int) mixed);
  }

  /**
   * Adds the gradient of the sum of these samples' losses to a vector, and returns that sum.
   *
   * @param into as long as the parameters, or longer
   */
  public double gradient(long[] samples, FloatBuffer into) {
    int count = samples.length;
    float[] input = new float[Math.multiplyExact(count, data.inputSize())];
    float[] labels = new float[Math.multiplyExact(count, data.labelSize())];
    for (int i = 0; i < count; i++) {
      data.read(samples[i], input, i * data.inputSize(), labels, i * data.labelSize());
    }
    double mean;
    try (NDManager step = manager.newSubManager()) {
      NDArray x = step.create(input, network.input(count));
      NDArray y =
          step.create(
              labels,
              data.labelSize() == 1 ? new Shape(count) : new Shape(count, data.labelSize()));
      try (GradientCollector collector = Engine.getEngine("PyTorch").newGradientCollector()) {
        NDList output = network.block().forward(store, new NDList(x), true);
        output.attach(step);
        NDArray loss = network.loss(output, y);
        loss.attach(step);
        collector.backward(loss);
        mean = loss.toType(DataType.FLOAT64, true).getDouble();
      }
      for (int i = 0; i < trained.size(); i++) {
        try (NDArray gradient = trained.get(i).getArray().getGradient()) {
          FloatBuffer values = alias(gradient).asFloatBuffer();
          Floats.addScaled(into, tensors.get(i).offset(), values, count);
          // Here, not by the engine, which subtracts them from themselves: not a number stays one.
          Floats.clear(values);
        }
      }
    }
    return mean * count;
  }

  /**
   * Computes a micro-batch for nothing: a process's first takes a second, for which other members
   * would wait.
   */
  public void warmUp(int count) {
    gradient(new long[count], Floats.allocate(size()).asFloatBuffer());
  }

  @Override
  public void close() {
    network.close();
    manager.close();
  }
}
