package io.deepvm.checkpoint.anchor;

import io.deepvm.transport.Source;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Lists and manifests on their way to workers, which may take a bounded part of the heap. */
final class Departures {

  /** Writes a list into memory. */
  interface Encoding {
    byte[] bytes() throws IOException;
  }

  private final ArrivalRoom room;

  Departures(long mostBytes) {
    room = new ArrivalRoom(mostBytes);
  }

  /** Returns what is encoded, one at a time, or refuses it when too much is on its way. */
  Source source(Encoding encoding) throws IOException {
    byte[] bytes;
    synchronized (this) {
      bytes = encoding.bytes();
    }
    if (!room.take(bytes.length)) {
      throw new IOException("Too many lists are on their way; it may be tried again.");
    }
    Source all = Source.of(ByteBuffer.wrap(bytes));
    return new Source() {

      private boolean closed;

      @Override
      public long length() {
        return all.length();
      }

      @Override
      public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException {
        return all.read(offset, length, scratch);
      }

      @Override
      public synchronized void close() {
        if (!closed) {
          closed = true;
          room.give(bytes.length);
        }
      }
    };
  }
}
