package io.deepvm.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** Writes a file whole or not at all. */
public final class AtomicFile {

  /** Fills the file it is given. */
  @FunctionalInterface
  public interface Filling {
    void fill(Path file) throws IOException;
  }

  /** Two threads that write one file need two temporary names. */
  private static final AtomicLong WRITES = new AtomicLong();

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
          folder.resolve(
              ".%d.%d-%s"
                  .formatted(
                      ProcessHandle.current().pid(),
                      WRITES.incrementAndGet(),
                      absolute.getFileName()));
      // also when the command is interrupted
      temporary.toFile().deleteOnExit();
      try {
        filling.fill(temporary);
        sync(temporary);
        move(temporary, absolute);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Without it a power loss may leave the new name with no text. */
  private static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
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
