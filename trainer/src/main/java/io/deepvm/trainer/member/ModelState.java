package io.deepvm.trainer.member;

import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.trainer.model.Tensor;
import io.deepvm.trainer.vector.Optimizer;
import io.deepvm.trainer.vector.OptimizerSpec;
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
  private final Optimizer optimizer;
  private final int size;
  private volatile @Nullable Totals totals;

  /** Makes the state around these parameters; it counts for nothing yet. */
  public ModelState(List<Tensor> tensors, int size, OptimizerSpec spec) {
    this.tensors = List.copyOf(tensors);
    this.size = size;
    this.spec = spec;
    optimizer = new Optimizer(spec, size);
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

  /** Takes one step along a gradient to these totals. */
  public void apply(FloatBuffer gradient, float scale, Totals next) {
    invalidate();
    for (Tensor tensor : tensors) {
      optimizer.apply(
          next.step(), tensor.bytes().asFloatBuffer(), tensor.offset(), gradient, scale);
    }
    validate(next);
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
