package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {

  @TempDir Path folder;

  @Test
  void aWriteThatFailsLeavesTheOldTextAndNoOtherFile() throws IOException {
    Path file = folder.resolve("plan.json");
    AtomicFile.write(file, part -> Files.writeString(part, "old"));

    assertThatThrownBy(
            () ->
                AtomicFile.write(
                    file,
                    part -> {
                      Files.writeString(part, "ne");
                      throw new IOException("the disk is full");
                    }))
        .isInstanceOf(UncheckedIOException.class);

    assertThat(file).hasContent("old");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void threadsThatWriteOneFileTogetherLeaveTheWholeTextOfOne() throws IOException {
    Path file = folder.resolve("plan.json");

    IntStream.range(0, 64)
        .parallel()
        .forEach(
            i ->
                AtomicFile.write(
                    file, part -> Files.writeString(part, Integer.toString(i).repeat(1000))));

    String text = Files.readString(file);
    String one = text.substring(0, text.length() / 1000);
    assertThat(text).isEqualTo(one.repeat(1000));
  }
}
