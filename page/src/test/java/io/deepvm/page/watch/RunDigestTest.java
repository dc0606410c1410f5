package io.deepvm.page.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.page.SampleRun;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDigestTest {

  @TempDir Path folder;

  @Test
  void aGrownLogIsReadFromWhereTheLastLookEnded() throws IOException {
    try (SampleRun run = SampleRun.start(folder.resolve("run"));
        RunDigest digest = new RunDigest("run", folder.resolve("run"))) {
      run.rent(2, 0, "here").form().train(5, 1);
      assertThat(digest.row().step()).isEqualTo(5);
      // Whoever reads the start again finds no event there.
      try (RandomAccessFile log =
          new RandomAccessFile(folder.resolve("run/events.jsonl").toFile(), "rw")) {
        log.write("nonsense".getBytes(StandardCharsets.US_ASCII));
      }
      run.train(7, 1);
      assertThat(digest.row().step()).isEqualTo(12);
      assertThat(digest.row().problem()).isNull();
    }
  }

  @Test
  void anotherRunInTheFolderIsReadFromItsStart() throws IOException {
    try (RunDigest digest = new RunDigest("run", folder.resolve("run"))) {
      try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
        run.rent(3, 0, "here").form().train(40, 1);
      }
      assertThat(digest.row().step()).isEqualTo(40);
      Files.delete(folder.resolve("run/events.jsonl"));
      assertThat(digest.row().state()).isEqualTo("WAITING");
      try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
        run.rent(1, 0, "here").form().train(3, 1);
      }
      assertThat(digest.row().step()).isEqualTo(3);
      assertThat(digest.row().nodes()).isEqualTo(1);
    }
  }

  @Test
  void aRunThatIsOverIsReadAgainOnceItGoesOn() throws IOException {
    try (RunDigest digest = new RunDigest("run", folder.resolve("run"));
        SampleRun run = SampleRun.start(folder.resolve("run"))) {
      run.rent(1, 0, "here").form().train(2, 1).finish();
      assertThat(digest.row().state()).isEqualTo("FINISHED");
      assertThat(digest.row()).isEqualTo(digest.row());
    }
  }
}
