package io.deepvm.checkpoint.s3;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.tier.CheckpointReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads the shards of one version, which are objects whose keys begin alike. */
final class ObjectReader implements CheckpointReader {

  private static final int GOOD_READ = 8 << 20;

  private final Bucket bucket;
  private final String folder;
  private final Manifest manifest;
  private final Closeable use;

  ObjectReader(Bucket bucket, String folder, Manifest manifest, Closeable use) {
    this.bucket = bucket;
    this.folder = folder;
    this.manifest = manifest;
    this.use = use;
  }

  @Override
  public Manifest manifest() {
    return manifest;
  }

  @Override
  public int goodRead() {
    return GOOD_READ;
  }

  @Override
  public void read(String shard, long position, ByteBuffer into) throws IOException {
    long bytes =
        manifest.shards().stream()
            .filter(s -> s.name().equals(shard))
            .mapToLong(Shard::bytes)
            .findFirst()
            .orElse(-1);
    if (position < 0 || position > bytes - into.remaining()) {
      throw new CorruptCheckpoint(
          "%s has no %d bytes from %d on.".formatted(shard, into.remaining(), position));
    }
    bucket.read(folder + shard, position, into);
  }

  @Override
  public void close() throws IOException {
    use.close();
  }
}
