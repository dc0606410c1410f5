package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one committed version; several threads may read at once. */
public interface CheckpointReader extends Closeable {

  /** Returns the table of contents. */
  Manifest manifest();

  /** Returns how many bytes a read should ask for to be fast here; a hint. */
  default int goodRead() {
    return Checksums.CHUNK;
  }

  /** Fills the buffer's remaining bytes from a position of a shard; does not check them. */
  void read(String shard, long position, ByteBuffer into) throws IOException;
}
