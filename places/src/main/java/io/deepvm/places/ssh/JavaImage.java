package io.deepvm.places.ssh;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A Java for hosts that have none, made once by this Java's jlink. */
final class JavaImage {

  static final String NAME = "jre.tar.gz";

  private static final List<String> MODULES =
      List.of(
          "java.base",
          "java.desktop",
          "java.logging",
          "java.management",
          "java.naming",
          "java.net.http",
          "java.security.jgss",
          "java.sql",
          "java.xml",
          "jdk.crypto.ec",
          "jdk.httpserver",
          "jdk.management",
          "jdk.net",
          "jdk.unsupported",
          "jdk.zipfs");

  private JavaImage() {}

  /** Returns the user's folder for what can be made again. */
  static Path cache() {
    String given = System.getenv("XDG_CACHE_HOME");
    Path cache =
        given == null || given.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(given);
    return cache.resolve("deepvm");
  }

  /** Returns the packed image; empty if this Java has no jlink. */
  static Optional<Path> packed() throws IOException {
    Path home = Path.of(System.getProperty("java.home"));
    Path jlink = home.resolve("bin").resolve("jlink");
    if (!Files.isExecutable(jlink) || !Files.isDirectory(home.resolve("jmods"))) {
      return Optional.empty();
    }
    String id =
        Content.sum(System.getProperty("java.vm.version") + home + MODULES).substring(0, 16);
    Path cache = PrivateFiles.folder(cache());
    Path image = cache.resolve("jre-%s.tar.gz".formatted(id));
    try (FileChannel lock = PrivateFiles.openLock(cache.resolve("jre.lock"));
        FileLock held = lock.lock()) {
      if (held.isValid() && !Files.exists(image)) {
        make(jlink, cache, image);
      }
    }
    return Optional.of(image);
  }

  private static void make(Path jlink, Path cache, Path image) throws IOException {
    Path work = Files.createTempDirectory(cache, "jre");
    try {
      Path jre = work.resolve("jre");
      String modules = String.join(",", MODULES);
      run(
          jlink.toString(),
          "--add-modules",
          modules,
          "--strip-debug",
          "--no-header-files",
          "--no-man-pages",
          "--output",
          jre.toString());
      Path tar = work.resolve(NAME);
      run("tar", "-czf", tar.toString(), "-C", jre.toString(), ".");
      Files.move(tar, image, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      try (Stream<Path> all = Files.walk(work)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("'%s' failed: %s".formatted(command[0], said.strip()));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }
}
