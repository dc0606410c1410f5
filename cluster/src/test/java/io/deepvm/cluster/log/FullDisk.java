package io.deepvm.cluster.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file on a disk that has room for so many more bytes; a write that does not fit is cut. */
final class FullDisk extends FileChannel {

  private final FileChannel file;
  int roomBytes = Integer.MAX_VALUE;

  FullDisk(Path path) throws IOException {
    file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    if (roomBytes == 0) {
      throw new IOException("No space left on device");
    }
    int most = Math.min(roomBytes, from.remaining());
    ByteBuffer part = from.slice(from.position(), most);
    int written = file.write(part);
    from.position(from.position() + written);
    roomBytes -= written;
    return written;
  }

  @Override
  public long position() throws IOException {
    return file.position();
  }

  @Override
  public FileChannel position(long to) throws IOException {
    file.position(to);
    return this;
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public FileChannel truncate(long to) throws IOException {
    file.truncate(to);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    file.force(metadata);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    file.close();
  }

  @Override
  public int read(ByteBuffer to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int read(ByteBuffer to, long at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer from, long at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long at, long count, WritableByteChannel to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long at, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long at, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long at, long count, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long at, long count, boolean shared) {
    throw new UnsupportedOperationException();
  }
}
