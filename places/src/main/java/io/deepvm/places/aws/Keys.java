package io.deepvm.places.aws;

import io.deepvm.base.PrivateFiles;
import io.deepvm.places.ssh.KeyPair;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The keys of a run, in its folder: one that logs in to its machines, and one that its machines
 * prove themselves with. The second goes to them in their user data, so the first connection is
 * checked as well.
 */
final class Keys {

  private final Path folder;
  private final KeyPair login;
  private final KeyPair host;

  private Keys(Path folder, KeyPair login, KeyPair host) {
    this.folder = folder;
    this.login = login;
    this.host = host;
  }

  /** Makes the keys of the run in the folder, unless they are there. */
  static Keys of(Path run) throws IOException {
    Path folder = PrivateFiles.folder(run.resolve("keys"));
    KeyPair login = KeyPair.make(folder.resolve("login"));
    return new Keys(folder, login, KeyPair.make(folder.resolve("host")));
  }

  /** Returns the file with the private key that logs in. */
  Path login() {
    return login.file();
  }

  String loginPublic() throws IOException {
    return login.publicLine();
  }

  String hostPrivate() throws IOException {
    return Files.readString(host.file());
  }

  String hostPublic() throws IOException {
    return host.publicLine();
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
