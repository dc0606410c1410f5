package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlySyncTest {

  private static final long MUCH = 1L << 30;

  @TempDir Path folder;

  private FileChannel open() throws IOException {
    return FileChannel.open(
        folder.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  @Test
  void aSoundDiskIsNotHeardOf() throws Exception {
    try (FileChannel channel = open()) {
      EarlySync early = new EarlySync(channel);
      assertThatCode(early::await).doesNotThrowAnyException();
      early.wrote(MUCH);
      early.wrote(MUCH);
      assertThatCode(early::await).doesNotThrowAnyException();
    }
  }

  @Test
  void whatASyncMetIsSaidByTheNextWriteAndAtTheEnd() throws Exception {
    FileChannel channel = open();
    EarlySync early = new EarlySync(channel);
    channel.close();
    early.wrote(MUCH);
    assertThatThrownBy(early::await)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("did not reach the disk");
    assertThatThrownBy(() -> early.wrote(MUCH)).isInstanceOf(IOException.class);
    assertThatThrownBy(early::await).isInstanceOf(IOException.class);
  }

  @Test
  void littleIsLeftToTheSyncAtTheEnd() throws Exception {
    FileChannel channel = open();
    EarlySync early = new EarlySync(channel);
    channel.close();
    early.wrote(1 << 20);
    assertThatCode(early::await).doesNotThrowAnyException();
  }
}
