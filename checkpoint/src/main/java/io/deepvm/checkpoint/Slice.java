package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.TensorSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of a tensor from {@code begin} on, in the remaining bytes of one or more buffers: one after
 * another, since a buffer ends at 2 GiB and a tensor does not. Direct and mapped buffers are used
 * in place; their positions are never moved.
 */
public record Slice(TensorSpec tensor, long begin, List<ByteBuffer> data) {

  public Slice {
    data = List.copyOf(data);
    long bytes = data.stream().mapToLong(ByteBuffer::remaining).sum();
    if (begin < 0 || bytes > tensor.bytes() - begin) {
      throw new BadInput(
          "The tensor '%s' has %d bytes, not [%d, %d)."
              .formatted(tensor.name(), tensor.bytes(), begin, begin + bytes),
          "Maybe shape or type are not those of the buffer.");
    }
  }

  /** Returns a whole tensor. */
  public static Slice whole(TensorSpec tensor, List<ByteBuffer> data) {
    Slice slice = new Slice(tensor, 0, data);
    if (!slice.isWhole()) {
      throw new BadInput(
          "The tensor '%s' has %d bytes, its buffers %d."
              .formatted(tensor.name(), tensor.bytes(), slice.bytes()),
          "Maybe shape or type are not those of the buffer.");
    }
    return slice;
  }

  /** Returns a whole tensor that fits into one buffer. */
  public static Slice whole(TensorSpec tensor, ByteBuffer data) {
    return whole(tensor, List.of(data));
  }

  /** Returns the number of bytes. */
  public long bytes() {
    return data.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  /** Returns the place in the tensor after the last byte. */
  public long end() {
    return begin + bytes();
  }

  /** Returns whether nothing of the tensor is missing. */
  public boolean isWhole() {
    return begin == 0 && bytes() == tensor.bytes();
  }

  /** Returns the part of this slice that is [from, to) of its tensor. */
  public Slice cut(long from, long to) {
    List<ByteBuffer> kept = new ArrayList<>();
    long at = begin;
    for (ByteBuffer buffer : data) {
      long first = Math.max(from, at);
      long last = Math.min(to, at + buffer.remaining());
      if (first < last) {
        kept.add(buffer.slice((int) (buffer.position() + first - at), (int) (last - first)));
      }
      at += buffer.remaining();
    }
    return new Slice(tensor, from, kept);
  }
}
