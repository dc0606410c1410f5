package io.deepvm.transport;

import io.deepvm.base.Crc32c;

/** How far a transfer came: the bytes held and verified from its start on, and their CRC32C. */
public record TransferProgress(long offset, int crc32c) {

  /** Nothing is held yet. */
  public static final TransferProgress NONE = new TransferProgress(0, 0);

  /** Returns the progress after a further verified piece. */
  TransferProgress and(int pieceCrc32c, long pieceLength) {
    return new TransferProgress(
        offset + pieceLength, Crc32c.join(crc32c, pieceCrc32c, pieceLength));
  }
}
