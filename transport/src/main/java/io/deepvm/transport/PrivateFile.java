package io.deepvm.transport;

import io.deepvm.units.BadInput;
import io.deepvm.units.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads files that hold secrets, and refuses one that others may read, as ssh does. */
final class PrivateFile {

  private static final long MOST_BYTES = 64 << 10;

  private PrivateFile() {}

  /** Returns the content of the file; {@code what} names its kind in messages. */
  static byte[] read(Path file, String what) {
    try {
      PrivateFiles.requireSecret(file, what);
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
}
