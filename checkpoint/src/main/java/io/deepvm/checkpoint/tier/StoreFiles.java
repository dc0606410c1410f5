package io.deepvm.checkpoint.tier;

import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * How files and folders of a store are made: private ({@link PrivateFiles}), synced, under a name
 * of their own first, and never through a link, since another writer of the store could lead us out
 * of it.
 */
final class StoreFiles {

  private static final String PART = ".part";

  private StoreFiles() {}

  /** Returns whether there is a folder, a link to one not being one. */
  static boolean isFolder(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns whether there is anything of this name, be it a link that leads nowhere. */
  static boolean exists(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Throws when a link stands where a folder of the store should. */
  static void checkNoLink(Path folder) throws IOException {
    if (Files.isSymbolicLink(folder)) {
      throw new IOException(
          "%s is a link, which is not followed. Maybe move it away.".formatted(folder));
    }
  }

  /**
   * Creates a folder, and syncs its parent so that it stays; the parent may be a link. Also when
   * the folder is there: the process that created it may have died before it synced.
   */
  static void createFolder(Path folder) throws IOException {
    if (!isFolder(folder)) {
      try {
        PrivateFiles.createFolder(folder);
      } catch (FileAlreadyExistsException e) {
        if (!isFolder(folder)) {
          checkNoLink(folder);
          throw e;
        }
      }
    }
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      sync(parent);
    }
  }

  /** Creates the folder that a user named, and those above it; links are the user's own. */
  static void createRoot(Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent == null) {
      return;
    }
    createRoot(parent);
    if (!Files.isDirectory(folder)) {
      createFolder(folder);
      return;
    }
    try {
      sync(parent);
    } catch (AccessDeniedException e) {
      // we cannot have created the folder there
    }
  }

  static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Gives a file its final name, in place of another one if need be, so that it stays. */
  static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    Path folder = to.getParent();
    if (folder != null) {
      sync(folder);
    }
  }

  /** Returns a temporary name for a file that no other writer has. */
  static Path part(Path file) {
    return file.resolveSibling("%s.%s%s".formatted(file.getFileName(), UUID.randomUUID(), PART));
  }

  /** Returns whether a name is a temporary one of a file, also as earlier releases made it. */
  static boolean isPart(String name, String file) {
    if (!name.startsWith(file + ".") || !name.endsWith(PART)) {
      return false;
    }
    return name.length() == file.length() + PART.length()
        || name.substring(file.length() + 1, name.length() - PART.length())
            .matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  }

  /** Opens a file that must not be there yet. */
  static FileChannel create(Path file) throws IOException {
    return PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  static FileChannel open(Path file, StandardOpenOption how) throws IOException {
    return FileChannel.open(file, how, LinkOption.NOFOLLOW_LINKS);
  }

  static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  static void readAll(FileChannel channel, long position, ByteBuffer into) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int read = channel.read(into, at);
      if (read < 0) {
        throw new CorruptCheckpoint("The file ends after %d bytes.".formatted(at));
      }
      at += read;
    }
  }

  /** Returns what is in a file of at most this many bytes. */
  static byte[] read(Path file, int most) throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw new CorruptCheckpoint("%s is a link, which is not followed.".formatted(file));
    }
    try (FileChannel channel = open(file, StandardOpenOption.READ)) {
      if (channel.size() > most) {
        throw new CorruptCheckpoint("%s has %d bytes.".formatted(file, channel.size()));
      }
      ByteBuffer buffer = ByteBuffer.allocate((int) channel.size());
      readAll(channel, 0, buffer);
      return buffer.array();
    }
  }
}
