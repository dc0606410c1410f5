package io.deepvm.checkpoint.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedArenaTest {

  @TempDir Path folder;

  private SharedArena arena(String budget) throws IOException {
    return new SharedArena(folder.resolve("arena"), DataSize.parse(budget));
  }

  private static byte[] read(SharedArena.Shared image) throws IOException {
    ByteBuffer all = ByteBuffer.allocate((int) image.bytes());
    while (all.hasRemaining()) {
      all.put(image.view(all.position(), all.remaining()));
    }
    return all.array();
  }

  @Test
  void whatIsPutIsSeenAndLiesWhereTheRunsSay() throws IOException {
    try (SharedArena arena = arena("1MiB")) {
      // chunks of 16 KiB; a hole of one chunk makes two runs
      SharedArena.Shared first = Objects.requireNonNull(arena.acquire(16_384));
      SharedArena.Shared second = Objects.requireNonNull(arena.acquire(16_384));
      first.close();
      SharedArena.Shared image = Objects.requireNonNull(arena.acquire(50_000));
      assertThat(image.runs())
          .containsExactly(
              new SharedArena.Run(0, 16_384), new SharedArena.Run(32_768, 50_000 - 16_384));
      byte[] bytes = new byte[50_000];
      new Random(7).nextBytes(bytes);
      image.put(0, ByteBuffer.wrap(bytes), 0, 20_000);
      image.put(20_000, ByteBuffer.wrap(bytes), 20_000, 30_000);
      assertThat(read(image)).isEqualTo(bytes);
      byte[] file = Files.readAllBytes(folder.resolve("arena"));
      ByteBuffer joined = ByteBuffer.allocate(50_000);
      for (SharedArena.Run run : image.runs()) {
        joined.put(file, (int) run.at(), (int) run.bytes());
      }
      assertThat(joined.array()).isEqualTo(bytes);
      second.close();
    }
  }

  @Test
  void theBudgetHoldsAndWhatIsGivenBackCanBeHadAgain() throws IOException {
    try (SharedArena arena = arena("1MiB")) {
      assertThat(arena.capacity()).isEqualTo(1 << 20);
      SharedArena.Shared all = Objects.requireNonNull(arena.acquire(1 << 20));
      assertThat(arena.available()).isZero();
      assertThat(arena.acquire(1)).isNull();
      all.close();
      all.close();
      assertThat(arena.available()).isEqualTo(1 << 20);
      assertThat(arena.acquire(1)).isNotNull();
      assertThat(Objects.requireNonNull(arena.acquire(0)).runs()).isEmpty();
    }
    assertThat(folder.resolve("arena")).doesNotExist();
  }

  @Test
  void aFileCutShortIsAnErrorAndNotACrash() throws IOException {
    try (SharedArena arena = arena("1MiB")) {
      SharedArena.Shared image = Objects.requireNonNull(arena.acquire(100_000));
      try (FileChannel evil = FileChannel.open(folder.resolve("arena"), StandardOpenOption.WRITE)) {
        evil.truncate(10);
      }
      assertThatThrownBy(() -> read(image)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void memoryThatIsNotThereIsRefusedBeforeItIsUsed() {
    assertThatThrownBy(() -> arena("10B")).isInstanceOf(BadInput.class);
    assertThatThrownBy(
            () ->
                new SharedFolder(List.of(folder), folder.resolve("a.sock"))
                    .place("arena", 1L << 60))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("no room");
  }
}
