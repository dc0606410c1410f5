package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.SafetensorsHeader;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.StoredSlice;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where slices lie in the data of a safetensors file. Whole tensors come first, wide elements
 * before narrow ones, so that each is aligned; parts of tensors follow as plain bytes.
 */
final class Layout {

  private static final Comparator<Slice> ORDER =
      Comparator.comparing((Slice slice) -> !slice.isWhole())
          .thenComparing(slice -> -slice.tensor().dtype().bytes())
          .thenComparing(slice -> slice.tensor().name())
          .thenComparingLong(Slice::begin);

  /** Leaves room for the range within the longest name; the manifest has the tensor's own. */
  private static final int LONGEST_STEM = 900;

  private final List<Slice> slices;

  /** Where each slice begins, and after the last one the end of all. */
  private final long[] offsets;

  Layout(List<Slice> slices) {
    this.slices = slices.stream().sorted(ORDER).toList();
    this.offsets = new long[slices.size() + 1];
    for (int i = 0; i < slices.size(); i++) {
      offsets[i + 1] = Math.addExact(offsets[i], this.slices.get(i).bytes());
    }
  }

  List<Slice> slices() {
    return slices;
  }

  long offset(int slice) {
    return offsets[slice];
  }

  long bytes() {
    return offsets[slices.size()];
  }

  /** Returns the head of the file. */
  byte[] header(Version version, ShardName shard) throws IOException {
    Set<String> names = new HashSet<>();
    List<SafetensorsHeader.Entry> entries = new ArrayList<>();
    for (int i = 0; i < slices.size(); i++) {
      entries.add(
          new SafetensorsHeader.Entry(stored(slices.get(i), names), offsets[i], offsets[i + 1]));
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
  private static TensorSpec stored(Slice slice, Set<String> names) {
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

  /** Returns what the manifest says about the slices of a file with a head of so many bytes. */
  List<StoredSlice> stored(int headerBytes) {
    List<StoredSlice> stored = new ArrayList<>();
    for (int i = 0; i < slices.size(); i++) {
      Slice slice = slices.get(i);
      stored.add(
          new StoredSlice(
              slice.tensor().name(), slice.begin(), slice.end(), headerBytes + offsets[i]));
    }
    return stored;
  }
}
