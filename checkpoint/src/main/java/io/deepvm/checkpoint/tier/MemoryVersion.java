package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.memory.ChunkImage;
import java.nio.file.FileAlreadyExistsException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a memory tier keeps of one version; all but the bytes is guarded by the tier's monitor. */
final class MemoryVersion {

  final Map<String, Piece> pieces = new HashMap<>();
  final Set<String> spilled = new HashSet<>();
  @Nullable Manifest manifest;
  long manifestBytes;
  int users;

  /** Throws when the version is committed: what it consists of must not change any more. */
  void checkOpen(Version version) throws FileAlreadyExistsException {
    if (manifest != null) {
      throw new FileAlreadyExistsException(version.toString(), null, "it is committed");
    }
  }

  /** Returns what is here. */
  Holding holding(Version version) {
    Set<String> held = new HashSet<>(spilled);
    long bytes = 0;
    for (Map.Entry<String, Piece> piece : pieces.entrySet()) {
      bytes += piece.getValue().image.bytes();
      if (piece.getValue().sealed) {
        held.add(piece.getKey());
      }
    }
    Set<String> missing = new HashSet<>();
    if (manifest != null) {
      missing.addAll(manifest.shardNames());
      missing.removeAll(held);
    }
    return new Holding(
        version,
        manifest == null ? Holding.Condition.UNCOMMITTED : Holding.Condition.COMMITTED,
        held,
        missing,
        bytes);
  }

  /** Gives all memory back. */
  void close() {
    pieces.values().forEach(Piece::close);
  }

  /** A shard in memory. */
  static final class Piece {
    final ChunkImage image;
    long position;
    boolean sealed;

    /** The attempt that may write it; an earlier one that still hangs may not. */
    volatile @Nullable MemoryShard writer;

    Piece(ChunkImage image) {
      this.image = image;
    }

    /** Gives the memory back once no attempt writes to it. */
    synchronized void close() {
      writer = null;
      image.close();
    }
  }
}
