package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Cuts tensors, laid end to end in the order of their names, into shares of equal size. */
public final class StateSharding {

  private StateSharding() {}

  /** Returns where a share begins; the first shares get the bytes that do not come out even. */
  public static long begin(long bytes, int share, int shares) {
    if (share < 0 || share > shares || shares < 1 || bytes < 0) {
      throw new BadInput(
          "There is no share %d of %d of %d bytes.".formatted(share, shares, bytes),
          "Maybe count shares from zero.");
    }
    return bytes / shares * share + Math.min(share, bytes % shares);
  }

  /** Returns the slices that make up one share; also those that a worker wants back. */
  public static List<Slice> share(List<Slice> tensors, int share, int shares) {
    List<Slice> sorted = new ArrayList<>(tensors);
    sorted.sort(Comparator.comparing(slice -> slice.tensor().name()));
    long total = sorted.stream().mapToLong(Slice::bytes).sum();
    long begin = begin(total, share, shares);
    long end = begin(total, share + 1, shares);
    List<Slice> kept = new ArrayList<>();
    long at = 0;
    for (Slice slice : sorted) {
      long first = Math.max(begin, at);
      long last = Math.min(end, at + slice.bytes());
      if (slice.bytes() == 0 ? emptyBelongs(at, share, begin, end) : first < last) {
        long shift = slice.begin() - at;
        kept.add(slice.bytes() == 0 ? slice : slice.cut(first + shift, last + shift));
      }
      at += slice.bytes();
    }
    return kept;
  }

  // the first share, or the one that ends at or after the place and begins before it
  private static boolean emptyBelongs(long at, int share, long begin, long end) {
    return at == 0 ? share == 0 : begin < at && at <= end;
  }
}
