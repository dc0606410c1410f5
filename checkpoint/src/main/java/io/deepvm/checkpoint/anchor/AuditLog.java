package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A file with one line of JSON for each request that takes something away from others: a deleted
 * version, a claimed generation. It states the role that the client has proven and its address.
 */
final class AuditLog {

  private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());

  private final Path file;
  private final Clock clock;
  private final long mostBytes;

  /**
   * Makes a log in this file, which only its owner can read.
   *
   * @param mostBytes a longer file is renamed to {@code FILE.1}, in place of the one before
   */
  AuditLog(Path file, Clock clock, long mostBytes) {
    this.file = file;
    this.clock = clock;
    this.mostBytes = mostBytes;
  }

  /** Appends what a client asked and what became of it. */
  void add(Connection from, String what, Question question, String outcome) {
    Role role = from.role();
    Version version = question.version();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", clock.instant().toString());
    line.put("role", role == null ? "unproven" : role.toString());
    line.put("address", from.remote().getAddress().getHostAddress());
    line.put("port", from.remote().getPort());
    line.put("what", what);
    line.put("job", version.job());
    line.put("generation", version.generation());
    line.put("step", version.step());
    line.put("level", question.level());
    line.put("outcome", outcome);
    try {
      append(new String(Lists.of(line), StandardCharsets.UTF_8) + "\n");
    } catch (IOException e) {
      // The disk that is full must still be cleared.
      LOG.log(System.Logger.Level.WARNING, "{0} cannot be written: {1}", file, e.toString());
    }
  }

  private synchronized void append(String line) throws IOException {
    if (Files.exists(file) && Files.size(file) > mostBytes) {
      Files.move(file, former(), StandardCopyOption.REPLACE_EXISTING);
    }
    if (!Files.exists(file)) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.writeString(file, line, StandardOpenOption.APPEND);
  }

  private Path former() {
    return file.resolveSibling(file.getFileName() + ".1");
  }
}
