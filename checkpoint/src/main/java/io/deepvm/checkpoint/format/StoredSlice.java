package io.deepvm.checkpoint.format;

/** The bytes [begin, end) of a tensor, kept from position {@code at} of a shard's file. */
public record StoredSlice(String tensor, long begin, long end, long at) {

  /** Returns the number of bytes. */
  public long bytes() {
    return end - begin;
  }
}
