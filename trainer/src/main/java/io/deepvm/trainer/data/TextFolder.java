package io.deepvm.trainer.data;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The .txt files of a folder, byte by byte: a sample is a stretch of one file. */
public final class TextFolder implements Dataset {

  private static final int BYTES = 256;

  private final int length;
  private final List<MappedByteBuffer> files = new ArrayList<>();
  private final List<Long> firsts = new ArrayList<>();
  private final long size;

  /** Opens the files of a folder, in the order of their names. */
  public TextFolder(Path folder, int length) {
    this.length = length;
    long samples = 0;
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : all.filter(path -> path.toString().endsWith(".txt")).sorted().toList()) {
        try (FileChannel channel = FileChannel.open(file)) {
          long bytes = Math.min(channel.size(), Integer.MAX_VALUE);
          if (bytes > length) {
            files.add(channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes));
            firsts.add(samples);
            samples += (bytes - 1) / length;
          }
        }
      }
    } catch (IOException e) {
      throw new BadInput("The folder %s cannot be read.".formatted(folder), "Maybe it is wrong.");
    }
    if (samples == 0) {
      throw new BadInput(
          "The folder %s has no .txt file longer than %d bytes.".formatted(folder, length),
          "Maybe name another folder, or a smaller length.");
    }
    size = samples;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int inputSize() {
    return length;
  }

  @Override
  public int labelSize() {
    return length;
  }

  @Override
  public int classes() {
    return BYTES;
  }

  @Override
  public void read(long sample, float[] input, int inputAt, float[] labels, int labelsAt) {
    int file = firsts.size() - 1;
    while (firsts.get(file) > sample) {
      file--;
    }
    int at = (int) (sample - firsts.get(file)) * length;
    for (int i = 0; i < length; i++) {
      input[inputAt + i] = files.get(file).get(at + i) & 0xff;
      labels[labelsAt + i] = files.get(file).get(at + i + 1) & 0xff;
    }
  }
}
