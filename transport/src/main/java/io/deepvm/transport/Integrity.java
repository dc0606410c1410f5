package io.deepvm.transport;

import java.net.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the chunks of a transfer come in order and undamaged. The checksum of a chunk comes
 * after its bytes. Guarded by the transfer that it belongs to.
 */
final class Integrity {

  /** After this many damaged chunks the wire counts as broken. */
  static final int MOST_RETRIES = 16;

  /** What follows from the checksum of a chunk. */
  enum Verdict {
    SOUND,
    /** The sender must send again from {@link #arrived()} on. */
    DAMAGED,
    DAMAGED_TOO_OFTEN
  }

  private final long length;
  private final int chunkBytes;
  private TransferProgress arrived = TransferProgress.NONE;
  private @Nullable ReceivedChunk unproven;
  private boolean rewinding;
  private int retries;
  private boolean ended;
  private int wholeCrc32c;

  Integrity(long length, int chunkBytes) {
    this.length = length;
    this.chunkBytes = chunkBytes;
  }

  /** Begins after what is held from before. */
  void begin(TransferProgress from) {
    arrived = from;
  }

  /** Returns what has come undamaged. */
  TransferProgress arrived() {
    return arrived;
  }

  /**
   * Returns whether a chunk is the next one, or one to skip: after damage, chunks come that were
   * under way.
   *
   * @param limit up to which the sender has credit
   */
  boolean expects(long offset, int bytes, long limit) throws ProtocolException {
    if (unproven != null) {
      throw new ProtocolException("A chunk came before the checksum of the last one.");
    }
    boolean next = offset == arrived.offset();
    if (!next && !rewinding) {
      throw new ProtocolException(
          "Bytes came for offset " + offset + " instead of " + arrived.offset() + ".");
    }
    if (bytes != Math.min(chunkBytes, length - offset) || offset + bytes > limit) {
      throw new ProtocolException(
          bytes
              + " bytes came at offset "
              + offset
              + ", beyond the credit up to "
              + limit
              + " or not a whole chunk.");
    }
    return next;
  }

  /** Keeps a chunk until its checksum comes. */
  void awaitSum(ReceivedChunk chunk) {
    unproven = chunk;
  }

  /** Returns the chunk at an offset that waits for its checksum; null if it was skipped. */
  @Nullable ReceivedChunk takeUnproven(long offset) {
    ReceivedChunk chunk = unproven;
    if (chunk == null || chunk.offset() != offset) {
      return null;
    }
    unproven = null;
    return chunk;
  }

  /** Returns the chunk that still waits for its checksum, and forgets it; null if there is none. */
  @Nullable ReceivedChunk drop() {
    ReceivedChunk chunk = unproven;
    unproven = null;
    return chunk;
  }

  /** Compares a chunk with the checksum that the sender states. */
  Verdict check(ReceivedChunk chunk, int stated) {
    if (chunk.crc32c() == stated) {
      rewinding = false;
      arrived = arrived.and(stated, chunk.length());
      return Verdict.SOUND;
    }
    rewinding = true;
    retries++;
    return retries > MOST_RETRIES ? Verdict.DAMAGED_TOO_OFTEN : Verdict.DAMAGED;
  }

  /** Returns how many chunks came damaged. */
  int retries() {
    return retries;
  }

  /**
   * Notes that the sender has sent all, and the checksum of the whole.
   *
   * @return false if that was before the sender learned of damage
   */
  boolean end(long offset, int crc32c) throws ProtocolException {
    if (arrived.offset() != length) {
      if (rewinding) {
        return false;
      }
      throw new ProtocolException("A transfer ended before all its bytes had come.");
    }
    if (offset != length) {
      throw new ProtocolException("A transfer ended at offset " + offset + ".");
    }
    ended = true;
    wholeCrc32c = crc32c;
    return true;
  }

  /** Returns whether the sender has sent all. */
  boolean hasEnded() {
    return ended;
  }

  /** Returns whether what is held is all that was sent. */
  boolean isComplete(TransferProgress held) {
    return ended && held.offset() == length;
  }

  /** Returns whether what is held has the checksum of the whole. */
  boolean isSound(TransferProgress held) {
    return held.crc32c() == wholeCrc32c;
  }
}
