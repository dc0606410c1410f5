package io.deepvm.places.aws;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * The keys of a run, in its folder: one that logs in to its machines, and one that its machines
 * prove themselves with. The second goes to them in their user data, so the first connection is
 * checked as well.
 */
final class Keys {

  private final Path folder;

  private Keys(Path folder) {
    this.folder = folder;
  }

  /** Makes the keys of the run in the folder, unless they are there. */
  static Keys of(Path run) throws IOException {
    Path folder = PrivateFiles.folder(run.resolve("keys"));
    make(folder.resolve("login"));
    make(folder.resolve("host"));
    return new Keys(folder);
  }

  private static void make(Path file) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    Path fresh = Files.createTempDirectory(file.getParent(), "key");
    Path key = fresh.resolve("key");
    Process keygen;
    try {
      keygen =
          new ProcessBuilder(
                  "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "deepvm", "-f", "" + key)
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      throw new IOException("ssh-keygen cannot be started; maybe install openssh-client.", e);
    }
    keygen.getOutputStream().close();
    String said = new String(keygen.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!keygen.waitFor(20, TimeUnit.SECONDS) || keygen.exitValue() != 0) {
        throw new IOException("ssh-keygen failed: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
    // The private part comes last: where it is, both are.
    Files.move(fresh.resolve("key.pub"), publicOf(file));
    Files.move(key, file);
    Files.delete(fresh);
  }

  private static Path publicOf(Path key) {
    return key.resolveSibling(key.getFileName() + ".pub");
  }

  /** Returns the file with the private key that logs in. */
  Path login() {
    return folder.resolve("login");
  }

  String loginPublic() throws IOException {
    return Files.readString(publicOf(login())).strip();
  }

  String hostPrivate() throws IOException {
    return Files.readString(folder.resolve("host"));
  }

  String hostPublic() throws IOException {
    return Files.readString(publicOf(folder.resolve("host"))).strip();
  }

  /** Returns a file that says that the machine at the address has the run's host key. */
  Path knownHosts(String address) throws IOException {
    Path file = folder.resolve("known-" + address.replace(':', '_'));
    PrivateFiles.write(file, "%s %s%n".formatted(address, hostPublic()));
    return file;
  }

  /** Returns the SHA-256 of a text. */
  static String digest(String text) {
    try {
      byte[] sum =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
