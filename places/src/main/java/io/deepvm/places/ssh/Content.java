package io.deepvm.places.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A file to bring to hosts, known there by its SHA-256.
 *
 * @param name what it is called where it is used
 */
record Content(String sum, String name, Path file) {

  private static final int BUFFER_BYTES = 1 << 20;

  static Content of(String name, Path file) {
    MessageDigest digest = sha256();
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Content(HexFormat.of().formatHex(digest.digest()), name, file);
  }

  /** Returns the SHA-256 of a text. */
  static String sum(String text) {
    return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
