package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a worker has to save at a step boundary. */
public sealed interface TrainingState {

  /** Returns what this worker of this many saves. */
  List<Slice> share(int worker, int workers);

  /** All workers have the same tensors; each saves an equal share of the bytes. */
  static TrainingState replicated(List<Slice> tensors) {
    return new Replicated(tensors);
  }

  /** Each worker has its own slices and saves them all. */
  static TrainingState sharded(List<Slice> slices) {
    return new Sharded(slices);
  }

  /** The same whole tensors on every worker. */
  record Replicated(List<Slice> tensors) implements TrainingState {

    public Replicated {
      tensors = List.copyOf(tensors);
      Set<String> names = new HashSet<>();
      for (Slice tensor : tensors) {
        if (!tensor.isWhole() || !names.add(tensor.tensor().name())) {
          throw new BadInput(
              "The replicated tensor '%s' is cut or there twice.".formatted(tensor.tensor().name()),
              "Maybe use sharded state, or give each tensor its own name.");
        }
      }
    }

    @Override
    public List<Slice> share(int worker, int workers) {
      return StateSharding.share(tensors, worker, workers);
    }
  }

  /** This worker's own slices. */
  record Sharded(List<Slice> slices) implements TrainingState {

    public Sharded {
      slices = List.copyOf(slices);
    }

    @Override
    public List<Slice> share(int worker, int workers) {
      return slices;
    }
  }
}
