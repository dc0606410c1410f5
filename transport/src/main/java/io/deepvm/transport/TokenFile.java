package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Secrets in a file that only its owner can read. It is read again for each new connection, so a
 * secret can be replaced while endpoints run; the one before stays valid for a grace period.
 *
 * <p>The file holds either one token, from which the secrets of all roles are derived, or only the
 * secrets of one role, as {@link #derive} makes it.
 */
public final class TokenFile implements Secrets {

  /** How long a replaced secret stays valid. */
  public static final Duration GRACE = Duration.ofMinutes(10);

  private static final System.Logger LOG = System.getLogger(TokenFile.class.getName());
  private static final int TOKEN_BYTES = 32;
  private static final String ROLE_FILE = "# DeepVM secrets of one role: ";

  private record Former(Secrets secrets, long replacedAt) {}

  private final Path file;
  private final Duration grace;
  private final LongSupplier nanoClock;
  private final Deque<Former> formers = new ArrayDeque<>();
  private String content;
  private Secrets newest;
  private String complaint = "";

  /** Reads the file, or throws if it holds no secret or is open to other users. */
  public TokenFile(Path file) {
    this(file, GRACE, System::nanoTime);
  }

  TokenFile(Path file, Duration grace, LongSupplier nanoClock) {
    this.file = file;
    this.grace = grace;
    this.nanoClock = nanoClock;
    content = PrivateFiles.readSecret(file, "token");
    newest = parse(content);
  }

  @Override
  public synchronized List<Token> between(Role from, Role to) {
    refresh();
    List<Token> tokens = new ArrayList<>(newest.between(from, to));
    formers.forEach(former -> tokens.addAll(former.secrets.between(from, to)));
    return tokens;
  }

  private void refresh() {
    long now = nanoClock.getAsLong();
    formers.removeIf(former -> now - former.replacedAt > grace.toNanos());
    try {
      String fresh = PrivateFiles.readSecret(file, "token");
      if (!fresh.equals(content)) {
        Secrets read = parse(fresh);
        formers.addFirst(new Former(newest, now));
        newest = read;
        content = fresh;
        LOG.log(System.Logger.Level.INFO, "The secret in {0} was replaced.", file);
      }
      complaint = "";
    } catch (BadInput e) {
      // An endpoint that runs goes on with the secret it knows.
      String problem = String.valueOf(e.getMessage());
      if (!complaint.equals(problem)) {
        complaint = problem;
        LOG.log(System.Logger.Level.WARNING, "{0} The secret before it stays valid.", complaint);
      }
    }
  }

  private Secrets parse(String text) {
    if (!text.startsWith(ROLE_FILE)) {
      return Secrets.of(token(text));
    }
    Map<String, Token> tokens = new HashMap<>();
    for (String line : text.lines().skip(1).toList()) {
      int blank = line.lastIndexOf(' ');
      try {
        tokens.put(
            line.substring(0, Math.max(0, blank)),
            Token.of(HexFormat.of().parseHex(line.substring(blank + 1))));
      } catch (IllegalArgumentException e) {
        throw new BadInput(
            "The token file " + file + " has a line that is no secret of a role.",
            "Maybe make the file again.");
      }
    }
    return (from, to) -> {
      Token token = tokens.get(name(from, to));
      return token == null ? List.of() : List.of(token);
    };
  }

  private static Token token(String text) {
    return Token.of(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Writes a new random token into a file that only its owner can read, replacing any other. */
  public static void create(Path file) throws IOException {
    byte[] secret = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(secret);
    replace(file, HexFormat.of().formatHex(secret) + "\n");
  }

  /**
   * Writes the secrets of one role into a file that only its owner can read. They serve connections
   * from or to that role, and none between two other roles.
   *
   * @param master a file with the token of all roles
   */
  public static void derive(Path master, Role role, Path file) throws IOException {
    String text = PrivateFiles.readSecret(master, "token");
    if (text.startsWith(ROLE_FILE)) {
      throw new BadInput(
          "The token file '" + master + "' has the secrets of one role only.",
          "Maybe name the file they were made from.");
    }
    write(file, token(text), role);
  }

  static void write(Path file, Token master, Role role) throws IOException {
    StringBuilder text = new StringBuilder(ROLE_FILE).append(role).append('\n');
    for (Role other : Role.values()) {
      text.append(line(master, role, other));
      if (other != role) {
        text.append(line(master, other, role));
      }
    }
    replace(file, text.toString());
  }

  /** Writes the file as a whole, so that an endpoint never reads half of it. */
  private static void replace(Path file, String text) throws IOException {
    Path part =
        Files.createTempFile(
            file.toAbsolutePath().getParent(),
            "token",
            ".part",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(part, text);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static String line(Token master, Role from, Role to) {
    return name(from, to)
        + " "
        + HexFormat.of().formatHex(master.between(from, to).secret())
        + "\n";
  }

  private static String name(Role from, Role to) {
    return from + " to " + to;
  }
}
