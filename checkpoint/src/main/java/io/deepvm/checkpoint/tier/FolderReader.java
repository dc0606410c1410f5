package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.ShardName;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/** Reads the shards of one version's folder, each opened when it is first needed. */
final class FolderReader implements CheckpointReader {

  private final Path folder;
  private final Manifest manifest;
  private final Closeable use;
  private final Map<String, FileChannel> channels = new HashMap<>();

  FolderReader(Path folder, Manifest manifest, Closeable use) {
    this.folder = folder;
    this.manifest = manifest;
    this.use = use;
  }

  @Override
  public Manifest manifest() {
    return manifest;
  }

  @Override
  public void read(String shard, long position, ByteBuffer into) throws IOException {
    StoreFiles.readAll(channel(shard), position, into);
  }

  private synchronized FileChannel channel(String shard) throws IOException {
    FileChannel channel = channels.get(shard);
    if (channel == null) {
      Path file = folder.resolve(ShardName.parse(shard).file());
      channel = StoreFiles.open(file, StandardOpenOption.READ);
      channels.put(shard, channel);
    }
    return channel;
  }

  @Override
  public synchronized void close() throws IOException {
    try {
      for (FileChannel channel : channels.values()) {
        channel.close();
      }
    } finally {
      use.close();
    }
  }
}
