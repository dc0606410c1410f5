package io.deepvm.checkpoint.format;

import java.util.List;
import java.util.Map;

/**
 * One file of a checkpoint, written by one worker: its size, checksums, contents, and what that
 * worker wants to remember besides tensors.
 */
public record Shard(
    String name,
    long bytes,
    Checksums checksums,
    List<StoredSlice> slices,
    Map<String, String> metadata) {

  /** The most characters of metadata a worker may keep with a checkpoint. */
  public static final int MAX_METADATA = 1 << 20;

  public Shard {
    ShardName.parse(name);
    slices = List.copyOf(slices);
    metadata = Map.copyOf(metadata);
    if (bytes < 0 || checksums.chunks().size() != checksums.chunksIn(bytes)) {
      throw new IllegalArgumentException(
          "The shard %s of %d bytes has %d checksums."
              .formatted(name, bytes, checksums.chunks().size()));
    }
    for (StoredSlice slice : slices) {
      if (slice.begin() < 0
          || slice.end() < slice.begin()
          || slice.at() < 0
          || slice.at() > bytes - slice.bytes()) {
        throw new IllegalArgumentException(
            "The shard %s of %d bytes cannot hold %s.".formatted(name, bytes, slice));
      }
    }
  }
}
