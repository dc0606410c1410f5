package io.deepvm.trainer.member;

import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.trainer.model.Tensor;
import io.deepvm.trainer.vector.OptimizerSpec;
import io.deepvm.trainer.vector.VectorOptimizer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All that training goes on from: parameters, the optimizer's memory, and the totals. */
public final class ModelState {

  private final List<Tensor> tensors;
  private final OptimizerSpec spec;
  private final VectorOptimizer optimizer;
  private final int size;
  private volatile @Nullable Totals totals;

  /** Makes the state around these parameters; it counts for nothing yet. */
  public ModelState(List<Tensor> tensors, int size, OptimizerSpec spec) {
    this.tensors = List.copyOf(tensors);
    this.size = size;
    this.spec = spec;
    optimizer = new VectorOptimizer(spec, size);
  }

  /** Returns the number of parameters. */
  public int size() {
    return size;
  }

  /** Returns the totals; null when there is no state, or it is being changed. */
  public @Nullable Totals totals() {
    return totals;
  }

  /** What follows changes the state, so it counts for nothing. */
  public void invalidate() {
    totals = null;
  }

  /** The state is now that of these totals. */
  public void validate(Totals now) {
    totals = now;
  }

  /** Lets the optimizer forget all. */
  public void forget() {
    optimizer.reset();
  }

  /** Takes one step along a gradient to these totals. */
  public void apply(FloatBuffer gradient, float scale, Totals next) {
    invalidate();
    for (Tensor tensor : tensors) {
      optimizer.apply(
          next.step(),
          tensor.bytes().asFloatBuffer(),
          tensor.offset(),
          gradient,
          tensor.offset(),
          scale);
    }
    validate(next);
  }

  /**
   * Takes one step on a range of the parameters.
   *
   * @param step which step it is for this range, from 1
   * @param gradient of the range alone
   */
  public void apply(long step, int begin, int end, FloatBuffer gradient, float scale) {
    for (Tensor tensor : tensors) {
      int from = Math.max(begin, tensor.offset());
      int to = Math.min(end, tensor.offset() + tensor.bytes().capacity() / Float.BYTES);
      if (from < to) {
        optimizer.apply(
            step,
            tensor.bytes().asFloatBuffer().slice(from - tensor.offset(), to - from),
            from,
            gradient.slice(from - begin, to - from),
            0,
            scale);
      }
    }
  }

  /** Returns the bytes of a range of the parameters. */
  public List<ByteBuffer> parameters(int begin, int end) {
    List<ByteBuffer> range = new ArrayList<>();
    for (Tensor tensor : tensors) {
      int from = Math.max(begin, tensor.offset());
      int to = Math.min(end, tensor.offset() + tensor.bytes().capacity() / Float.BYTES);
      if (from < to) {
        range.add(
            tensor
                .bytes()
                .slice((from - tensor.offset()) * Float.BYTES, (to - from) * Float.BYTES));
      }
    }
    return range;
  }

  /** Returns the bytes of a range of the parameters and of the optimizer's memory of it. */
  public ByteBuffer[] buffers(int begin, int end) {
    List<ByteBuffer> range = parameters(begin, end);
    for (ByteBuffer slot : optimizer.memory()) {
      range.add(slot.slice(begin * Float.BYTES, (end - begin) * Float.BYTES));
    }
    return range.toArray(ByteBuffer[]::new);
  }

  /** Returns all bytes, for another member. */
  public ByteBuffer[] buffers() {
    List<ByteBuffer> all = new ArrayList<>();
    tensors.forEach(tensor -> all.add(tensor.bytes().duplicate()));
    optimizer.memory().forEach(slot -> all.add(slot.duplicate()));
    return all.toArray(ByteBuffer[]::new);
  }

  /** Returns all tensors, for a checkpoint. */
  public List<Slice> slices() {
    List<Slice> slices = new ArrayList<>();
    for (Tensor tensor : tensors) {
      slices.add(
          Slice.whole(
              new TensorSpec("model." + tensor.name(), DType.F32, tensor.shape()),
              tensor.bytes().duplicate()));
    }
    for (int slot = 0; slot < spec.slots(); slot++) {
      slices.add(
          Slice.whole(
              new TensorSpec("optimizer." + spec.slot(slot), DType.F32, List.of((long) size)),
              optimizer.memory().get(slot).duplicate()));
    }
    return slices;
  }

  /** Returns how many bytes it has. */
  public long bytes() {
    return (long) size * Float.BYTES * (1 + spec.slots());
  }

  /** Returns the totals as a checkpoint's metadata. */
  static Map<String, String> metadata(Totals totals) {
    return Map.of(
        "step", Long.toString(totals.step()),
        "samples", Long.toString(totals.samples()),
        "ledger", Long.toString(totals.ledger()),
        "loss", Double.toString(totals.loss()));
  }

  /** Returns the totals of a checkpoint's metadata. */
  static Totals totals(Map<String, String> metadata) {
    return new Totals(
        Long.parseLong(metadata.getOrDefault("step", "0")),
        Long.parseLong(metadata.getOrDefault("samples", "0")),
        Long.parseLong(metadata.getOrDefault("ledger", "0")),
        Double.parseDouble(metadata.getOrDefault("loss", "NaN")),
        -1);
  }
}
