package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.memory.Image;
import io.deepvm.checkpoint.tier.ShardWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One staged state on its way into the tiers; the engine's lock guards who still wants it. */
final class Save {

  /** Thrown into a write that is no longer wanted. */
  static final class Abandoned extends IOException {
    Abandoned(String reason) {
      super(reason);
    }
  }

  final Ticket ticket;
  final long stagedAt;

  /** The lanes that still owe an outcome. */
  final Set<Lane> left = new HashSet<>();

  /** Those of them in whose queue it waits. */
  final Set<Lane> waiting = new HashSet<>();

  /** The lanes that still need the image. */
  final Set<Lane> readers = new HashSet<>();

  /** The tiers that will not get it, though other workers may wait for it there. */
  final Set<String> withdrawn = new HashSet<>();

  /** Whether some lane failed, rather than left it out. */
  boolean failed;

  private final ShardName name;
  private final Layout layout;
  private final Map<String, String> metadata;
  private final Image image;
  private byte @Nullable [] header;
  private volatile @Nullable Checksums checksums;
  private volatile @Nullable String abandoned;

  Save(
      Ticket ticket,
      ShardName name,
      Layout layout,
      Map<String, String> metadata,
      Image image,
      long stagedAt) {
    this.ticket = ticket;
    this.name = name;
    this.layout = layout;
    this.metadata = metadata;
    this.image = image;
    this.stagedAt = stagedAt;
  }

  long step() {
    return ticket.version().step();
  }

  /** Stops a write in progress at its next chunk. */
  void abandon(String reason) {
    abandoned = reason;
  }

  /** Gives up the image for a lane, and its memory when no other lane needs it. */
  void release(Lane lane) {
    if (readers.remove(lane) && readers.isEmpty()) {
      image.close();
    }
  }

  /** Returns what the staged image takes up. */
  long bytes() {
    return image.bytes();
  }

  List<TensorSpec> tensors() {
    return layout.ranges().stream().map(Layout.Range::tensor).distinct().toList();
  }

  private synchronized byte[] header() throws IOException {
    byte[] known = header;
    if (known == null) {
      known = layout.header(ticket.version(), name);
      header = known;
    }
    return known;
  }

  /** Receives how many bytes of the file are done. */
  interface Progress {
    void at(long bytes);
  }

  /** Somewhere to write this save's shard. */
  interface Target {
    ShardWriter open(String shard, long bytes) throws IOException;
  }

  /** Writes the shard's file from where the target has it, and returns what was written. */
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

  /** Returns whether a shard is this save's, byte by byte; false until one attempt wrote it all. */
  boolean isShard(Shard other) {
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
