package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.memory.Arena;
import io.deepvm.checkpoint.memory.ChunkPool;
import io.deepvm.checkpoint.memory.Image;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An arena in a file that a client has mapped. Here the file is read, not mapped: a client that
 * cuts it short then causes an error, where a mapping would bring the process down, and the memory
 * is free as soon as both sides have closed it.
 */
final class SharedArena implements Arena, Closeable {

  private static final int BLOCK = 4 << 20;

  /** What a thread reads at once. */
  private static final int WINDOW = 256 << 10;

  private static final ThreadLocal<ByteBuffer> WINDOWS =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(WINDOW));

  /**
   * Neighbouring chunks.
   *
   * @param at where they begin in the file
   */
  record Run(long at, long bytes) {}

  private final Path file;
  private final FileChannel channel;
  private final int chunkBytes;
  private final int count;
  private final BitSet free = new BitSet();

  /** Creates the file and fills it, so that its memory is really there. */
  SharedArena(Path file, DataSize budget) throws IOException {
    this.file = file;
    this.chunkBytes = ChunkPool.chunkBytes(budget);
    this.count = (int) Math.min(Integer.MAX_VALUE, budget.bytes() / chunkBytes);
    if (count < 1) {
      throw new BadInput(
          "A memory budget of %s cannot be used.".formatted(budget),
          "Maybe give at least twice the size of the state.");
    }
    free.set(0, count);
    this.channel =
        PrivateFiles.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    boolean filled = false;
    try {
      ByteBuffer zeros = ByteBuffer.allocateDirect(BLOCK);
      for (long at = 0; at < capacity(); at += zeros.limit()) {
        zeros.clear().limit((int) Math.min(BLOCK, capacity() - at));
        while (zeros.hasRemaining()) {
          channel.write(zeros, at + zeros.position());
        }
      }
      filled = true;
    } finally {
      if (!filled) {
        close();
      }
    }
  }

  Path file() {
    return file;
  }

  @Override
  public synchronized @Nullable Shared acquire(long bytes) {
    long wanted = cost(bytes) / chunkBytes;
    if (wanted > free.cardinality()) {
      return null;
    }
    int[] chunks = new int[(int) wanted];
    for (int i = 0; i < chunks.length; i++) {
      chunks[i] = free.nextSetBit(i == 0 ? 0 : chunks[i - 1] + 1);
    }
    for (int chunk : chunks) {
      free.clear(chunk);
    }
    return new Shared(chunks, bytes);
  }

  private synchronized void release(int[] chunks) {
    for (int chunk : chunks) {
      free.set(chunk);
    }
  }

  @Override
  public long cost(long bytes) {
    return (bytes / chunkBytes + (bytes % chunkBytes == 0 ? 0 : 1)) * chunkBytes;
  }

  @Override
  public long capacity() {
    return (long) count * chunkBytes;
  }

  @Override
  public synchronized long available() {
    return (long) free.cardinality() * chunkBytes;
  }

  /** Takes the name away; the memory goes when the client has left it too. */
  void unlink() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      unlink();
    }
  }

  /** Bytes that the client has put into some chunks. */
  final class Shared implements Image {

    private final int[] chunks;
    private final long bytes;
    private boolean released;

    private Shared(int[] chunks, long bytes) {
      this.chunks = chunks;
      this.bytes = bytes;
    }

    /** Returns where it lies in the file. */
    List<Run> runs() {
      List<Run> runs = new ArrayList<>();
      for (int i = 0; i < chunks.length; ) {
        int first = i++;
        while (i < chunks.length && chunks[i] == chunks[i - 1] + 1) {
          i++;
        }
        long end = Math.min(bytes, (long) i * chunkBytes);
        runs.add(new Run(at((long) first * chunkBytes), end - (long) first * chunkBytes));
      }
      return runs;
    }

    private long at(long position) {
      return (long) chunks[(int) (position / chunkBytes)] * chunkBytes + position % chunkBytes;
    }

    /** Returns the bytes from a position to the end of its chunk, at most those wanted. */
    private int piece(long position, long wanted) {
      return (int) Math.min(Math.min(wanted, chunkBytes - position % chunkBytes), bytes - position);
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public void put(long position, ByteBuffer source, int from, int length) throws IOException {
      Objects.checkFromIndexSize(position, length, bytes);
      ByteBuffer rest = source.slice(from, length);
      while (rest.hasRemaining()) {
        long now = position + rest.position();
        rest.limit(rest.position() + piece(now, rest.remaining()));
        channel.write(rest, at(now));
        rest.limit(length);
      }
    }

    @Override
    public ByteBuffer view(long position, long wanted) throws IOException {
      ByteBuffer window = WINDOWS.get().clear();
      window.limit(piece(position, Math.min(wanted, WINDOW)));
      long at = at(position);
      while (window.hasRemaining()) {
        if (channel.read(window, at + window.position()) < 0) {
          throw new EOFException("The client has cut the shared memory short.");
        }
      }
      return window.flip();
    }

    @Override
    public synchronized void close() {
      if (!released) {
        released = true;
        release(chunks);
      }
    }
  }
}
