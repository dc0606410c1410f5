package io.deepvm.transport;

/** How far a transfer came: the bytes held and verified from its start on, and their CRC32C. */
public record Progress(long offset, int crc32c) {

  /** Nothing is held yet. */
  public static final Progress NONE = new Progress(0, 0);

  /** Returns the progress after a further verified piece. */
  Progress and(int pieceCrc32c, long pieceLength) {
    return new Progress(
        offset + pieceLength, Checksums.concatenate(crc32c, pieceCrc32c, pieceLength));
  }
}
