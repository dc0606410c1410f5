package io.deepvm.cli;

import io.deepvm.transport.Token;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The secret that anchors and their clients share. */
final class TokenOption {

  private static final long MOST_BYTES = 4_096;

  @Option(
      names = "--token-file",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "The secret an anchor and its clients share; needed beyond loopback.")
  @Nullable Path file;

  /** Returns the secret, without the line end, or null when none is used. */
  @Nullable Token token() {
    Path path = file;
    if (path == null) {
      return null;
    }
    try {
      if (Files.size(path) > MOST_BYTES) {
        throw new BadInput(
            "The token file has %d bytes.".formatted(Files.size(path)),
            "Maybe it is another file; a token has at most %d.".formatted(MOST_BYTES));
      }
      return Token.of(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
