package io.deepvm.cli.console;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes a file whole or not at all. */
public final class AtomicFile {

  /** Fills the file it is given. */
  @FunctionalInterface
  public interface Filling {
    void fill(Path file) throws IOException;
  }

  private AtomicFile() {}

  /** Writes a file of a run, which others see only if they see the run's folder. */
  public static void writePrivate(Path target, String text) {
    write(target, temporary -> PrivateFiles.write(temporary, text));
  }

  /**
   * Fills a temporary file beside the target, then renames it. The temporary name ends like the
   * target's, because endings say the format.
   */
  public static void write(Path target, Filling filling) {
    Path absolute = target.toAbsolutePath();
    Path folder = absolute.getParent();
    if (folder == null) {
      folder = absolute.getRoot();
    }
    try {
      // Files.createTempFile would leave a file that only its owner may read.
      Path temporary =
          folder.resolve(".%d-%s".formatted(ProcessHandle.current().pid(), absolute.getFileName()));
      // also when the command is interrupted
      temporary.toFile().deleteOnExit();
      try {
        filling.fill(temporary);
        move(temporary, absolute);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
