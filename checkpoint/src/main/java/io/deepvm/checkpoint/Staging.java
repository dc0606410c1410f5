package io.deepvm.checkpoint;

import io.deepvm.checkpoint.memory.Image;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Copies a state into an image, several threads at once, each taking range after range. */
final class Staging {

  /** Small enough to share work evenly, large enough that sharing costs nothing. */
  private static final long RANGE = 2 << 20;

  private final ByteBuffer[] buffers;

  /** Where each buffer begins in the image, and after the last one the end. */
  private final long[] begins;

  private final Image image;

  private Staging(ShardLayout layout, Image image) {
    this.buffers = layout.data().toArray(ByteBuffer[]::new);
    this.begins = new long[buffers.length + 1];
    for (int i = 0; i < buffers.length; i++) {
      begins[i + 1] = begins[i] + buffers[i].remaining();
    }
    this.image = image;
  }

  /** Returns when every byte is copied. */
  static void copy(ShardLayout layout, Image image, Crew crew) throws IOException {
    Staging staging = new Staging(layout, image);
    long ranges = (layout.bytes() + RANGE - 1) / RANGE;
    crew.run(Math.toIntExact(ranges), (member, range) -> staging.copy(range * RANGE));
  }

  private void copy(long from) throws IOException {
    long to = Math.min(from + RANGE, image.bytes());
    int found = Arrays.binarySearch(begins, from);
    int first = found < 0 ? -found - 2 : found;
    for (int i = first; i < buffers.length && begins[i] < to; i++) {
      long begin = Math.max(from, begins[i]);
      long end = Math.min(to, begins[i + 1]);
      if (begin < end) {
        ByteBuffer buffer = buffers[i];
        image.put(
            begin, buffer, (int) (buffer.position() + begin - begins[i]), (int) (end - begin));
      }
    }
  }
}
