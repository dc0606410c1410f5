package io.deepvm.checkpoint.tier;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a shard under a temporary name until it is sealed. */
final class FileShard implements ShardWriter {

  /** How the shard ends. */
  interface Ends {

    /** Gives the file its name, unless the version was committed meanwhile. */
    void seal(Path part, Path file) throws IOException;

    /** May be gone on with from this position. */
    void brokenOff(Path part, Path file, long position);
  }

  private final FileChannel channel;
  private final EarlySync early;
  private final Path part;
  private final Path file;
  private final long bytes;
  private final FaultPoints faults;
  private final Ends ends;
  private long position;
  private boolean resumable = true;

  FileShard(FileChannel channel, Path part, Path file, long bytes, FaultPoints faults, Ends ends)
      throws IOException {
    this.channel = channel;
    early = new EarlySync(channel);
    this.part = part;
    this.file = file;
    this.bytes = bytes;
    this.faults = faults;
    this.ends = ends;
    this.position = channel.position();
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void write(ByteBuffer buffer) throws IOException {
    if (buffer.remaining() > bytes - position) {
      throw new IOException(
          "%s was announced with %d bytes and gets more.".formatted(file.getFileName(), bytes));
    }
    // after an error the system may have dropped pages it never wrote: only a fresh file is safe
    resumable = false;
    int length = buffer.remaining();
    StoreFiles.writeAll(channel, buffer);
    early.wrote(length);
    faults.reached(FaultPoint.MID_SHARD_WRITE);
    position += length;
    resumable = true;
  }

  @Override
  public void seal() throws IOException {
    if (position != bytes) {
      throw new IOException(
          "%s has %d of %d bytes.".formatted(file.getFileName(), position, bytes));
    }
    resumable = false;
    faults.reached(FaultPoint.BEFORE_SHARD_FSYNC);
    early.await();
    channel.force(true);
    faults.reached(FaultPoint.BEFORE_SHARD_RENAME);
    ends.seal(part, file);
    faults.reached(FaultPoint.AFTER_SHARD_RENAME);
    Path folder = file.getParent();
    if (folder != null) {
      StoreFiles.sync(folder);
    }
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      try {
        early.await();
      } catch (IOException e) {
        resumable = false;
      }
      channel.close();
      if (resumable) {
        ends.brokenOff(part, file, position);
      } else {
        Files.deleteIfExists(part);
      }
    }
  }
}
