package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.SafetensorsHeader;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.StoredSlice;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where slices lie in the data of a safetensors file. Whole tensors come first, wide elements
 * before narrow ones, so that each is aligned; parts of tensors follow as plain bytes.
 */
final class ShardLayout {

  /** The bytes [begin, end) of a tensor. */
  record Range(TensorSpec tensor, long begin, long end) {

    private static Range of(Slice slice) {
      return new Range(slice.tensor(), slice.begin(), slice.end());
    }

    long bytes() {
      return end - begin;
    }

    boolean isWhole() {
      return begin == 0 && end == tensor.bytes();
    }
  }

  private static final Comparator<Range> ORDER =
      Comparator.comparing((Range range) -> !range.isWhole())
          .thenComparing(range -> -range.tensor().dtype().bytes())
          .thenComparing(range -> range.tensor().name())
          .thenComparingLong(Range::begin);

  /** Leaves room for the range within the longest name; the manifest has the tensor's own. */
  private static final int LONGEST_STEM = 900;

  private final List<Range> ranges;
  private final List<ByteBuffer> data;

  /** Where each range begins, and after the last one the end of all. */
  private final long[] offsets;

  private ShardLayout(List<Range> ranges, List<ByteBuffer> data) {
    this.ranges = ranges;
    this.data = data;
    this.offsets = new long[ranges.size() + 1];
    for (int i = 0; i < ranges.size(); i++) {
      offsets[i + 1] = Math.addExact(offsets[i], ranges.get(i).bytes());
    }
  }

  /** Lays out slices whose bytes are at hand. */
  static ShardLayout of(List<Slice> slices) {
    List<Slice> sorted = slices.stream().sorted(Comparator.comparing(Range::of, ORDER)).toList();
    return new ShardLayout(
        sorted.stream().map(Range::of).toList(),
        sorted.stream().flatMap(slice -> slice.data().stream()).toList());
  }

  /** Lays out whole tensors whose bytes another process has. */
  static ShardLayout ofElsewhere(List<TensorSpec> tensors) {
    return new ShardLayout(
        tensors.stream().map(t -> new Range(t, 0, t.bytes())).sorted(ORDER).toList(), List.of());
  }

  List<Range> ranges() {
    return ranges;
  }

  /** Returns the buffers of all slices, one after another as they lie in the file. */
  List<ByteBuffer> data() {
    return data;
  }

  /** Returns where the bytes of each whole tensor begin. */
  Map<String, Long> offsets() {
    Map<String, Long> found = new HashMap<>();
    for (int i = 0; i < ranges.size(); i++) {
      found.put(ranges.get(i).tensor().name(), offsets[i]);
    }
    return found;
  }

  long bytes() {
    return offsets[ranges.size()];
  }

  /** Returns the head of the file. */
  byte[] header(Version version, ShardName shard) throws IOException {
    Set<String> names = new HashSet<>();
    List<SafetensorsHeader.Entry> entries = new ArrayList<>();
    for (int i = 0; i < ranges.size(); i++) {
      entries.add(
          new SafetensorsHeader.Entry(stored(ranges.get(i), names), offsets[i], offsets[i + 1]));
    }
    return new SafetensorsHeader(
            entries,
            Map.of(
                "format", "pt",
                "deepvm.job", version.job(),
                "deepvm.generation", Long.toString(version.generation()),
                "deepvm.step", Long.toString(version.step()),
                "deepvm.shard", shard.file()))
        .toBytes();
  }

  /** Returns how a slice is called in the file: a part of a tensor is bytes with its range. */
  private static TensorSpec stored(Range slice, Set<String> names) {
    TensorSpec tensor = slice.tensor();
    if (slice.isWhole() && names.add(tensor.name())) {
      return tensor;
    }
    String stem = tensor.name().substring(0, Math.min(LONGEST_STEM, tensor.name().length()));
    StringBuilder name = new StringBuilder("%s[%d:%d]".formatted(stem, slice.begin(), slice.end()));
    while (!names.add(name.toString())) {
      name.append('\'');
    }
    return new TensorSpec(name.toString(), DType.U8, List.of(slice.bytes()));
  }

  /** Returns what the manifest says about the slices of a file with a head of this many bytes. */
  List<StoredSlice> stored(int headerBytes) {
    List<StoredSlice> stored = new ArrayList<>();
    for (int i = 0; i < ranges.size(); i++) {
      Range slice = ranges.get(i);
      stored.add(
          new StoredSlice(
              slice.tensor().name(), slice.begin(), slice.end(), headerBytes + offsets[i]));
    }
    return stored;
  }
}
