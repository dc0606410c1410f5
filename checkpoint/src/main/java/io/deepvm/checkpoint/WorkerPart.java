package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What one worker has brought safely into a tier: its shard, and the tensors it is about.
 *
 * @param owner the session that the worker belongs to
 */
public record WorkerPart(
    Version version, UUID owner, int worker, int workers, List<TensorSpec> tensors, Shard shard) {

  public WorkerPart {
    tensors = List.copyOf(tensors);
  }

  /** Puts the manifest together from the parts of all workers. */
  public static Manifest join(Collection<WorkerPart> parts, Instant created) {
    Map<String, TensorSpec> tensors = new TreeMap<>();
    List<Shard> shards = new ArrayList<>();
    WorkerPart first = parts.iterator().next();
    for (WorkerPart part : parts) {
      if (!part.owner.equals(first.owner)) {
        throw new BadInput(
            "The workers of %s are of two sessions.".formatted(first.version),
            "Maybe give all workers of a generation the same claim.");
      }
      shards.add(part.shard());
      for (TensorSpec tensor : part.tensors()) {
        TensorSpec known = tensors.putIfAbsent(tensor.name(), tensor);
        if (known != null && !known.equals(tensor)) {
          throw new BadInput(
              "The workers disagree about a tensor: %s and %s.".formatted(known, tensor),
              "Maybe they do not train the same model.");
        }
      }
    }
    shards.sort(Comparator.comparing(Shard::name));
    return Manifest.of(first.version, created.toString(), List.copyOf(tensors.values()), shards)
        .withOwner(first.owner);
  }
}
