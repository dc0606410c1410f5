package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.SafetensorsHeader;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.CheckpointReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A version as one plain safetensors file, whatever it was cut into. */
final class PlainFile {

  private static final int WINDOW = 64 << 20;

  private PlainFile() {}

  /** Writes the wanted tensors of a version under a name that nobody reads yet, and syncs it. */
  static void write(CheckpointReader reader, Path part, Predicate<TensorSpec> wanted, Crew crew)
      throws IOException {
    List<TensorSpec> order =
        reader.manifest().tensors().stream()
            .filter(wanted)
            .sorted(
                Comparator.comparing((TensorSpec tensor) -> -tensor.dtype().bytes())
                    .thenComparing(TensorSpec::name))
            .toList();
    List<SafetensorsHeader.Entry> entries = new ArrayList<>();
    long at = 0;
    for (TensorSpec tensor : order) {
      entries.add(new SafetensorsHeader.Entry(tensor, at, at + tensor.bytes()));
      at += tensor.bytes();
    }
    ByteBuffer window = ByteBuffer.allocateDirect((int) Math.min(WINDOW, Math.max(1, at)));
    try (FileChannel out =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      write(out, ByteBuffer.wrap(new SafetensorsHeader(entries, Map.of("format", "pt")).toBytes()));
      for (long begin = 0; begin < at; begin += window.capacity()) {
        window.clear().limit((int) Math.min(window.capacity(), at - begin));
        Restore.fill(reader, within(entries, begin, window), crew);
        write(out, window);
      }
      out.force(true);
    }
  }

  /** Returns the slices of tensors that a window of the file is made of. */
  private static List<Slice> within(
      List<SafetensorsHeader.Entry> entries, long begin, ByteBuffer window) {
    List<Slice> slices = new ArrayList<>();
    long end = begin + window.limit();
    for (SafetensorsHeader.Entry entry : entries) {
      long from = Math.max(begin, entry.begin());
      long to = Math.min(end, entry.end());
      if (from < to) {
        slices.add(
            new Slice(
                entry.tensor(),
                from - entry.begin(),
                List.of(window.slice((int) (from - begin), (int) (to - from)))));
      }
    }
    return slices;
  }

  private static void write(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }
}
