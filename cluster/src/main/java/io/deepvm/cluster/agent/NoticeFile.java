package io.deepvm.cluster.agent;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The file where a process finds the notice that its node will be taken. */
final class NoticeFile {

  private final Path file;

  NoticeFile(String folder) {
    this.file = Path.of(folder, ProcessEnvironment.NOTICE_FILE);
  }

  /** Writes the notice; a reader sees all of it or nothing. */
  void write(double leadSeconds) {
    try {
      Path fresh = file.resolveSibling(ProcessEnvironment.NOTICE_FILE + ".new");
      PrivateFiles.write(
          fresh,
          "{\"action\":\"terminate\",\"leadSeconds\":%s,\"atMs\":%d}\n"
              .formatted(leadSeconds, System.currentTimeMillis()));
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("the notice cannot be written", e);
    }
  }

  void delete() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("the notice cannot be deleted", e);
    }
  }
}
