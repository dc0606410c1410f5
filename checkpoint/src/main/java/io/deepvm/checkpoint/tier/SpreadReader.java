package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads from the first member that has a shard, or, where that is damaged, from the next. */
final class SpreadReader implements CheckpointReader {

  private final List<CheckpointReader> readers;

  SpreadReader(List<CheckpointReader> readers) {
    this.readers = readers;
  }

  @Override
  public Manifest manifest() {
    return readers.get(0).manifest();
  }

  @Override
  public int goodRead() {
    return readers.get(0).goodRead();
  }

  @Override
  public void read(String shard, long position, ByteBuffer into) throws IOException {
    @Nullable IOException last = null;
    int start = into.position();
    for (CheckpointReader reader : readers) {
      try {
        reader.read(shard, position, into);
        if (readers.size() > 1) {
          // damage shows in whole chunks only, which is what a restore reads
          check(shard, position, into.duplicate().flip().position(start));
        }
        return;
      } catch (IOException e) {
        into.position(start);
        last = e;
      }
    }
    throw new IOException("No member can give %s: %s".formatted(shard, last), last);
  }

  private void check(String name, long position, ByteBuffer bytes) throws CorruptCheckpoint {
    for (Shard shard : manifest().shards()) {
      int chunkBytes = shard.checksums().chunkBytes();
      if (shard.name().equals(name) && position % chunkBytes == 0) {
        check(shard, (int) (position / chunkBytes), bytes);
      }
    }
  }

  private static void check(Shard shard, int first, ByteBuffer bytes) throws CorruptCheckpoint {
    int chunkBytes = shard.checksums().chunkBytes();
    int begin = bytes.position();
    for (int chunk = first; chunk < shard.checksums().chunks().size(); chunk++) {
      int from = begin + (chunk - first) * chunkBytes;
      int length = (int) Math.min(chunkBytes, shard.bytes() - (long) chunk * chunkBytes);
      if (length > bytes.limit() - from) {
        return;
      }
      if (!shard.checksums().matches(chunk, bytes.slice(from, length))) {
        throw new CorruptCheckpoint(
            "Chunk %d of %s is not what was saved.".formatted(chunk, shard.name()));
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (CheckpointReader reader : readers) {
      reader.close();
    }
  }
}
