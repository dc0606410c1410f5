package io.deepvm.checkpoint.anchor;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Keeps a second anchor off a disk: it would delete what the first one has spilled there. */
final class DiskLock implements Closeable {

  private static final String FILE = ".anchor-lock";

  private final FileChannel channel;

  /** The folder, if this lock created it. */
  private final @Nullable Path created;

  private DiskLock(FileChannel channel, @Nullable Path created) {
    this.channel = channel;
    this.created = created;
  }

  /** Locks a folder, which is created if need be, until closed or until the process ends. */
  static DiskLock take(Path disk) throws IOException {
    Path created = Files.exists(disk) ? null : disk;
    PrivateFiles.folder(disk);
    FileChannel channel = PrivateFiles.openLock(disk.resolve(FILE));
    boolean locked = false;
    try {
      locked = tryLock(channel) != null;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
    if (!locked) {
      throw new BadInput(
          "Another anchor is running on %s.".formatted(disk),
          "Maybe end it first, or give this one another --disk.");
    }
    return new DiskLock(channel, created);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  /** Unlocks the folder, and deletes it if this lock created it: bad input changes nothing. */
  void undo() throws IOException {
    channel.close();
    if (created != null) {
      Files.deleteIfExists(created.resolve(FILE));
      try {
        Files.deleteIfExists(created);
      } catch (DirectoryNotEmptyException e) {
        // Something else was put there meanwhile.
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
