package io.deepvm.checkpoint.simulation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** An open file of a simulated disk. */
final class SimulatedChannel extends FileChannel {

  private final SimulatedPath path;
  private final SimulatedFiles files;
  private final DiskNode node;
  private int position;

  SimulatedChannel(SimulatedPath path, DiskNode node, boolean append) {
    this.path = path;
    this.files = path.files();
    this.node = node;
    this.position = append ? node.size() : 0;
  }

  private void checkOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int count = read(into, position);
    position += Math.max(0, count);
    return count;
  }

  @Override
  public int read(ByteBuffer into, long at) throws IOException {
    files.light();
    checkOpen();
    byte[] bytes = new byte[into.remaining()];
    int count = node.read((int) at, bytes, 0, bytes.length);
    if (count > 0) {
      into.put(bytes, 0, count);
    }
    return bytes.length == 0 ? 0 : count;
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    return read(into[offset]);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    int count = write(from, position);
    position += count;
    return count;
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    files.step("write " + from.remaining() + " bytes to", path);
    checkOpen();
    boolean fails = files.faults().happens(Faults.Kind.DISK_ERROR);
    // a write that fails has written some of it
    byte[] bytes = new byte[fails ? from.remaining() / 2 : from.remaining()];
    from.get(bytes);
    node.write((int) at, bytes);
    node.touch(files.process().wallTime());
    if (fails) {
      throw new IOException("Simulated: no space is left on the disk.");
    }
    return bytes.length;
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return write(from[offset]);
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public FileChannel position(long at) {
    position = (int) at;
    return this;
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return node.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    files.step("truncate", path);
    checkOpen();
    node.truncate((int) size);
    position = Math.min(position, (int) size);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    files.step("sync", path);
    checkOpen();
    if (!node.isFolder() && files.faults().happens(Faults.Kind.SYNC_ERROR)) {
      node.loseSync();
      throw new IOException("Simulated: the disk could not be written.");
    }
    node.sync();
  }

  @Override
  public FileLock lock(long from, long size, boolean shared) {
    throw new UnsupportedOperationException("Only tryLock is simulated.");
  }

  @Override
  public FileLock tryLock(long from, long size, boolean shared) throws IOException {
    files.light();
    checkOpen();
    for (DiskNode.Held held : node.locks()) {
      if (held.process() == files.process()) {
        throw new OverlappingFileLockException();
      }
      if (!shared || !held.shared()) {
        return null;
      }
    }
    DiskNode.Held mine = new DiskNode.Held(files.process(), shared);
    node.locks().add(mine);
    return new FileLock(this, from, size, shared) {
      @Override
      public boolean isValid() {
        return SimulatedChannel.this.isOpen() && node.locks().contains(mine);
      }

      @Override
      public void release() {
        node.locks().remove(mine);
      }
    };
  }

  @Override
  public long transferTo(long at, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException("Transfers are not simulated.");
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long at, long count) {
    throw new UnsupportedOperationException("Transfers are not simulated.");
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long at, long size) {
    throw new UnsupportedOperationException("Mapped files are not simulated.");
  }

  /** As on Linux, a process that closes a file loses all its locks on it. */
  @Override
  protected void implCloseChannel() {
    node.locks().removeIf(held -> held.process() == files.process());
  }
}
