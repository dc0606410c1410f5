package io.deepvm.places.ssh;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A key of ssh, made for one run.
 *
 * @param file the private part, which only the user can read
 */
public record KeyPair(Path file) {

  private static final int SECONDS = 20;

  /** Makes the key unless it is there. */
  public static KeyPair make(Path file) throws IOException {
    KeyPair pair = new KeyPair(file);
    if (Files.exists(file)) {
      return pair;
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
      if (!keygen.waitFor(SECONDS, TimeUnit.SECONDS) || keygen.exitValue() != 0) {
        throw new IOException("ssh-keygen failed: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
    // The private part comes last: where it is, both are.
    Files.move(fresh.resolve("key.pub"), pair.publicFile());
    Files.move(key, file);
    Files.delete(fresh);
    return pair;
  }

  /** Returns the public part as a line. */
  public String publicLine() throws IOException {
    return Files.readString(publicFile()).strip();
  }

  private Path publicFile() {
    return file.resolveSibling(file.getFileName() + ".pub");
  }
}
