package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.memory.Image;
import io.deepvm.checkpoint.tier.ShardWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One worker's shard of a version, as it stands in the arena. Several threads may write it. */
final class StagedShard {

  /** Thrown into a write whose save was given up. */
  static final class Abandoned extends IOException {
    Abandoned(String reason) {
      super(reason);
    }
  }

  /** Receives how many bytes of the file are done. */
  interface Progress {
    void at(long bytes);
  }

  /** Opens the file of the shard in a tier. */
  interface Target {
    ShardWriter open(String shard, long bytes) throws IOException;
  }

  private final Version version;
  private final ShardName name;
  private final ShardLayout layout;
  private final Map<String, String> metadata;
  private final Image image;
  private byte @Nullable [] header;
  private volatile @Nullable Checksums checksums;
  private volatile @Nullable String abandoned;

  StagedShard(
      Version version,
      ShardName name,
      ShardLayout layout,
      Map<String, String> metadata,
      Image image) {
    this.version = version;
    this.name = name;
    this.layout = layout;
    this.metadata = Map.copyOf(metadata);
    this.image = image;
  }

  /** Returns the size of the staged image. */
  long bytes() {
    return image.bytes();
  }

  List<TensorSpec> tensors() {
    return layout.ranges().stream().map(ShardLayout.Range::tensor).distinct().toList();
  }

  /** Ends a write in progress at its next chunk. */
  void abandon(String reason) {
    abandoned = reason;
  }

  /** Gives the room in the arena back. */
  void release() {
    image.close();
  }

  private synchronized byte[] header() throws IOException {
    byte[] known = header;
    if (known == null) {
      known = layout.header(version, name);
      header = known;
    }
    return known;
  }

  /** Writes the file from the position that the target has, and returns what was written. */
  Shard write(Target target, Progress progress) throws IOException {
    byte[] head = header();
    long total = head.length + image.bytes();
    Checksums known = checksums;
    try (ShardWriter out = target.open(name.file(), total)) {
      long have = out.position();
      Checksums.Builder sums = known == null ? new Checksums.Builder() : null;
      long at = sums == null ? have : 0;
      while (at < total) {
        String reason = abandoned;
        if (reason != null) {
          throw new Abandoned(reason);
        }
        ByteBuffer piece = piece(head, at);
        long end = at + piece.remaining();
        if (sums != null) {
          sums.update(piece.duplicate());
        }
        if (end > have) {
          out.write(piece.position((int) Math.max(0, have - at)));
        }
        at = end;
        progress.at(at);
      }
      out.seal();
      if (sums != null) {
        known = sums.build();
        checksums = known;
      }
    }
    if (known == null) {
      throw new IllegalStateException("There are no checksums.");
    }
    return new Shard(name.file(), total, known, layout.stored(head.length), metadata);
  }

  /** Returns whether another shard is this one, byte by byte; false before the first full write. */
  boolean isSame(Shard other) {
    Checksums known = checksums;
    return known != null
        && other.name().equals(name.file())
        && other.checksums().equals(known)
        && other.metadata().equals(metadata);
  }

  private ByteBuffer piece(byte[] head, long at) throws IOException {
    return at < head.length
        ? ByteBuffer.wrap(head, (int) at, (int) (head.length - at))
        : image.view(at - head.length, Checksums.CHUNK);
  }
}
