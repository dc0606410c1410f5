package io.deepvm.transport;

import io.deepvm.units.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Reads files that hold secrets, and refuses one that others may read, as ssh does. */
final class PrivateFile {

  private static final long MOST_BYTES = 64 << 10;

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.of(
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE);

  private PrivateFile() {}

  /** Returns the content of the file; {@code what} names its kind in messages. */
  static byte[] read(Path file, String what) {
    try {
      checkMode(file, what);
      long bytes = Files.size(file);
      if (bytes > MOST_BYTES) {
        throw new BadInput(
            "The " + what + " file '" + file + "' has " + bytes + " bytes.",
            "Maybe it is another file; at most " + MOST_BYTES + " are read.");
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new BadInput(
          "The " + what + " file '" + file + "' does not exist.", "Maybe check the path.");
    } catch (IOException e) {
      throw new BadInput(
          "The " + what + " file '" + file + "' cannot be read: " + e.getMessage() + ".",
          "Maybe check its owner and mode.");
    }
  }

  private static void checkMode(Path file, String what) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      // A file system without modes.
      return;
    }
    PosixFileAttributes attributes = view.readAttributes();
    Set<PosixFilePermission> loose = EnumSet.copyOf(OTHERS);
    loose.retainAll(attributes.permissions());
    if (!loose.isEmpty()) {
      throw new BadInput(
          "The " + what + " file '" + file + "' is open to other users.",
          "Maybe close it: chmod 600 " + file + ".");
    }
  }
}
