package io.deepvm.transport;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Several buffers seen as one long row of bytes. */
final class Segments {

  private final ByteBuffer[] buffers;

  /** Where each buffer starts, and at last where all end. */
  private final long[] starts;

  Segments(ByteBuffer... buffers) {
    this.buffers = Arrays.stream(buffers).map(ByteBuffer::slice).toArray(ByteBuffer[]::new);
    starts = new long[buffers.length + 1];
    for (int i = 0; i < buffers.length; i++) {
      starts[i + 1] = starts[i] + buffers[i].remaining();
    }
  }

  long length() {
    return starts[buffers.length];
  }

  /** Returns views of the bytes at this place. */
  ByteBuffer[] slice(long offset, int length) {
    List<ByteBuffer> slices = new ArrayList<>(1);
    int found = Arrays.binarySearch(starts, offset);
    long at = offset;
    long end = offset + length;
    for (int i = found >= 0 ? found : -found - 2; at < end; i++) {
      int from = (int) (at - starts[i]);
      int size = (int) (Math.min(end, starts[i + 1]) - at);
      if (size > 0) {
        slices.add(buffers[i].slice(from, size));
      }
      at += size;
    }
    return slices.toArray(ByteBuffer[]::new);
  }
}
