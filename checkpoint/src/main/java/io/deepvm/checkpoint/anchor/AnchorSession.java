package io.deepvm.checkpoint.anchor;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.ShardWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one connection has open at an anchor. When it ends, all of it is closed: the sealed shards
 * stay, and one that was broken off may be gone on with over another connection.
 */
final class AnchorSession {

  private static final int MOST_HANDLES = 1_000;

  /** A version that is being written. */
  static final class Write {
    final Level level;
    final Version version;
    final CheckpointWriter writer;
    final Map<String, OpenShard> shards = new HashMap<>();
    byte @Nullable [] commitment;

    Write(Level level, Version version, CheckpointWriter writer) {
      this.level = level;
      this.version = version;
      this.writer = writer;
    }
  }

  /** A shard that is being written; once another connection goes on with it, this one may not. */
  static final class OpenShard {

    private final ShardWriter writer;
    private volatile boolean closed;

    OpenShard(ShardWriter writer) {
      this.writer = writer;
    }

    synchronized long position() throws IOException {
      return writer.position();
    }

    /** Appends what belongs to this position. */
    synchronized void write(long position, ByteBuffer bytes) throws IOException {
      if (closed || position != writer.position()) {
        throw new IOException(
            "Bytes came for position %d of a shard of which %s."
                .formatted(
                    position,
                    closed ? "another attempt writes" : writer.position() + " bytes are here"));
      }
      writer.write(bytes);
    }

    synchronized void seal() throws IOException {
      if (closed) {
        throw new IOException("Another attempt writes the shard.");
      }
      writer.seal();
    }

    boolean isClosed() {
      return closed;
    }

    synchronized void close() throws IOException {
      if (!closed) {
        closed = true;
        writer.close();
      }
    }
  }

  private final ArrivalRoom room;
  private final Map<Long, Write> writes = new HashMap<>();
  private final Map<Long, CheckpointReader> readers = new HashMap<>();
  private final Map<UUID, byte[]> arriving = new HashMap<>();
  private boolean closed;

  AnchorSession(ArrivalRoom room) {
    this.room = room;
  }

  synchronized void add(long handle, Write write) throws IOException {
    if (closed || isFull() || writes.putIfAbsent(handle, write) != null) {
      write.writer.close();
      throw refusal();
    }
  }

  synchronized void add(long handle, CheckpointReader reader) throws IOException {
    if (closed || isFull() || readers.putIfAbsent(handle, reader) != null) {
      reader.close();
      throw refusal();
    }
  }

  private boolean isFull() {
    return writes.size() + readers.size() >= MOST_HANDLES;
  }

  private static IOException refusal() {
    return new IOException(
        "The connection has ended, has %d versions open, or uses a handle twice."
            .formatted(MOST_HANDLES));
  }

  synchronized Write write(long handle) {
    Write write = writes.get(handle);
    if (write == null) {
      throw unknown();
    }
    return write;
  }

  synchronized CheckpointReader reader(long handle) {
    CheckpointReader reader = readers.get(handle);
    if (reader == null) {
      throw unknown();
    }
    return reader;
  }

  private static BadInput unknown() {
    return new BadInput(
        "This connection has no such version open.", "Maybe open it again: a connection was lost.");
  }

  /**
   * Keeps a place for a payload until it has come whole; null when there is no room. The room is
   * given back with the place, whatever takes it first: the end of the transfer or of the session.
   */
  synchronized @Nullable ByteBuffer expect(UUID transfer, int bytes) throws IOException {
    if (closed) {
      throw new IOException("The connection has ended.");
    }
    forget(transfer);
    if (!room.take(bytes)) {
      return null;
    }
    try {
      byte[] place = new byte[bytes];
      arriving.put(transfer, place);
      return ByteBuffer.wrap(place);
    } catch (OutOfMemoryError e) {
      arriving.remove(transfer);
      room.give(bytes);
      return null;
    }
  }

  synchronized byte[] take(UUID transfer) throws IOException {
    byte[] place = arriving.remove(transfer);
    if (place == null) {
      throw new IOException("The connection has ended.");
    }
    room.give(place.length);
    return place;
  }

  synchronized void forget(UUID transfer) {
    byte[] place = arriving.remove(transfer);
    if (place != null) {
      room.give(place.length);
    }
  }

  /** Closes a version; one that is not open is closed already. */
  void close(long handle) throws IOException {
    Write write;
    CheckpointReader reader;
    synchronized (this) {
      write = writes.remove(handle);
      reader = readers.remove(handle);
    }
    if (write != null) {
      close(write);
    }
    if (reader != null) {
      reader.close();
    }
  }

  private static void close(Write write) throws IOException {
    try {
      for (OpenShard shard : shards(write)) {
        shard.close();
      }
    } finally {
      write.writer.close();
    }
  }

  private static Iterable<OpenShard> shards(Write write) {
    synchronized (write) {
      return List.copyOf(write.shards.values());
    }
  }

  void close() {
    Set<Long> handles = new HashSet<>();
    synchronized (this) {
      closed = true;
      handles.addAll(writes.keySet());
      handles.addAll(readers.keySet());
      Set.copyOf(arriving.keySet()).forEach(this::forget);
    }
    for (long handle : handles) {
      try {
        close(handle);
      } catch (IOException | RuntimeException e) {
        System.getLogger(AnchorSession.class.getName())
            .log(System.Logger.Level.WARNING, "Closing failed: {0}", e.toString());
      }
    }
  }
}
