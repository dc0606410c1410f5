package io.deepvm.places.ssh;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Debian's sshd for the user of the test, with keys of its own. */
public final class TestSshd implements AutoCloseable {

  private static final Path SSHD = Path.of("/usr/sbin/sshd");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path folder;
  private final String address;
  private final int port;
  private final Process process;

  private TestSshd(Path folder, String address, int port, Process process) {
    this.folder = folder;
    this.address = address;
    this.port = port;
    this.process = process;
  }

  /** Leaves a test out where there is no sshd. */
  public static void require() {
    assumeTrue(Files.isExecutable(SSHD), "openssh-server is not installed");
  }

  /** Starts one on a free port of loopback. */
  public static TestSshd start(Path folder) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    TestSshd sshd = start(folder, "127.0.0.1", port, List.of());
    sshd.awaitPort();
    return sshd;
  }

  /**
   * Starts one at an address.
   *
   * @param before the words before its command, as "ip netns exec NAME" is
   */
  public static TestSshd start(Path folder, String address, int port, List<String> before)
      throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path key = folder.resolve("id");
    Path hostKey = folder.resolve("host-key");
    keygen(key);
    keygen(hostKey);
    Path allowed = folder.resolve("allowed");
    Files.copy(folder.resolve("id.pub"), allowed);
    Files.writeString(
        folder.resolve("known-hosts"),
        "%s %s"
            .formatted(
                port == 22 ? address : "[%s]:%d".formatted(address, port),
                Files.readString(folder.resolve("host-key.pub"))));
    Path config = folder.resolve("sshd-config");
    Files.writeString(
        config,
        """
        Port %d
        ListenAddress %s
        HostKey %s
        AuthorizedKeysFile %s
        PidFile none
        UsePAM no
        StrictModes no
        PasswordAuthentication no
        MaxStartups 100
        SetEnv SHLVL=1
        """
            .formatted(port, address, hostKey, allowed));
    if (ProcessHandle.current().info().user().filter("root"::equals).isPresent()) {
      Files.createDirectories(Path.of("/run/sshd"));
    }
    List<String> line = new ArrayList<>(before);
    line.addAll(List.of(SSHD.toString(), "-D", "-e", "-f", config.toString()));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("sshd.log").toFile())
            .start();
    return new TestSshd(folder, address, port, process);
  }

  private static void keygen(Path file) throws IOException {
    Process keygen =
        new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString())
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(keygen.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (keygen.waitFor() != 0) {
        throw new IOException(said);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private void awaitPort() throws IOException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        new Socket(address, port).close();
        return;
      } catch (IOException e) {
        if (System.nanoTime() > until || !process.isAlive()) {
          throw new IOException(Files.readString(folder.resolve("sshd.log")), e);
        }
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(10);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Returns how to log in. */
  public SshHost.Login login() {
    return new SshHost.Login(
        address,
        System.getProperty("user.name"),
        port,
        folder.resolve("id").toString(),
        folder.resolve("known-hosts").toString(),
        folder.resolve("allowed").toString());
  }

  /** Ends all connections at once; new ones are accepted. */
  public void dropConnections() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    List<ProcessHandle> connections = process.descendants().toList();
    process.destroyForcibly();
    connections.forEach(ProcessHandle::destroyForcibly);
  }
}
