package io.deepvm.page;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Where a server listens and the token that its addresses contain. A kept key lets a page find its
 * server again after a restart.
 *
 * @param port 0 for any free port
 * @param token that only the user knows
 */
public record PageKey(int port, String token) {

  private static final int TOKEN_BYTES = 16;
  private static final int MOST_PORT = 65535;

  /** Returns a key with a token of its own. */
  public static PageKey fresh() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return new PageKey(0, HexFormat.of().formatHex(bytes));
  }

  /** Returns the key that a file keeps; a fresh one if it keeps none. */
  public static PageKey kept(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return fresh();
    }
    String[] parts = PrivateFiles.readSecret(file, "page").split(" ", -1);
    boolean sound =
        parts.length == 2
            && parts[0].matches("[0-9]{1,5}")
            && Integer.parseInt(parts[0]) <= MOST_PORT
            && parts[1].matches("[0-9a-f]{32}");
    return sound ? new PageKey(Integer.parseInt(parts[0]), parts[1]) : fresh();
  }

  /** Writes the key to a file that only the user can read. */
  public void keep(Path file) throws IOException {
    PrivateFiles.write(file, "%d %s\n".formatted(port, token));
  }

  /** Returns the same key at another port. */
  PageKey at(int otherPort) {
    return new PageKey(otherPort, token);
  }

  /** Whether a text is the token; takes the same time for every text of its length. */
  boolean fits(String text) {
    return MessageDigest.isEqual(
        token.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
  }
}
