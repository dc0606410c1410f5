package io.deepvm.checkpoint.tier;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Appends to one shard. Closing before the seal breaks the shard off; it may be gone on with. */
public interface ShardWriter extends Closeable {

  /** Returns how many bytes the tier has: the next write continues there. */
  long position() throws IOException;

  /** Appends the buffer's remaining bytes, all of them, and moves it to its end. */
  void write(ByteBuffer bytes) throws IOException;

  /** Acknowledges: returns once the whole shard is as safe as the tier's level says. */
  void seal() throws IOException;
}
