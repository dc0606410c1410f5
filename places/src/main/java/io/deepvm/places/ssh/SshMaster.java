package io.deepvm.places.ssh;

import io.deepvm.base.DaemonThreads;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the system's ssh to a host, which all sessions share. It also is a SOCKS proxy
 * to whatever the host reaches. It ends with this process, even by SIGKILL: its command there ends
 * with its standard input.
 */
final class SshMaster implements AutoCloseable {

  private static final String READY = "deepvm-ready";
  private static final Duration CONNECT = Duration.ofSeconds(30);
  private static final int CONNECTION_LOST = 255;

  /** Less than sshd allows for one connection. */
  private static final int SESSIONS = 6;

  private static final int SAID_LINES = 20;

  /** Longest wait for the last words of an ssh that has ended. */
  private static final Duration SAID = Duration.ofSeconds(2);

  private final SshHost host;
  private final Path socket;
  private final Process process;
  private final InetSocketAddress proxy;
  private final Semaphore sessions = new Semaphore(SESSIONS);
  private final Deque<String> said = new ArrayDeque<>();
  private String address = "";

  private SshMaster(SshHost host, Path socket, Process process, InetSocketAddress proxy) {
    this.host = host;
    this.socket = socket;
    this.process = process;
    this.proxy = proxy;
  }

  /**
   * Connects.
   *
   * @param socket where sessions find the connection; must not exist
   */
  static SshMaster open(SshHost host, Path socket) throws IOException {
    InetSocketAddress proxy = freePort();
    List<String> line = options(host);
    line.addAll(List.of("-o", "ControlMaster=yes", "-o", "ControlPath=" + socket));
    line.addAll(List.of("-o", "ControlPersist=no", "-o", "ExitOnForwardFailure=yes"));
    line.addAll(List.of("-D", "127.0.0.1:" + proxy.getPort()));
    line.add(host.login().host());
    line.add("echo %s $SSH_CONNECTION; exec cat >/dev/null".formatted(READY));
    SshMaster master = new SshMaster(host, socket, start(host, line), proxy);
    try {
      master.awaitReady();
      return master;
    } catch (IOException e) {
      master.close();
      throw e;
    }
  }

  static Process start(SshHost host, List<String> line) throws IOException {
    try {
      return new ProcessBuilder(line).start();
    } catch (IOException e) {
      throw new HostProblem(
          host, "ssh cannot be started here", "Maybe install it: apt install openssh-client");
    }
  }

  private static InetSocketAddress freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), free.getLocalPort());
    }
  }

  /** Returns the words of an ssh command up to the host. */
  static List<String> options(SshHost host) {
    SshHost.Login login = host.login();
    List<String> line = new ArrayList<>(List.of("ssh", "-T", "-a", "-x"));
    for (String option :
        List.of(
            "BatchMode=yes",
            "StrictHostKeyChecking=yes",
            "ConnectTimeout=10",
            "ServerAliveInterval=3",
            "ServerAliveCountMax=3",
            "LogLevel=ERROR")) {
      line.addAll(List.of("-o", option));
    }
    if (login.user() != null) {
      line.addAll(List.of("-l", login.user()));
    }
    if (login.port() != null) {
      line.addAll(List.of("-p", login.port().toString()));
    }
    if (login.identity() != null) {
      line.addAll(List.of("-i", login.identity(), "-o", "IdentitiesOnly=yes"));
    }
    if (login.knownHosts() != null) {
      line.addAll(List.of("-o", "UserKnownHostsFile=" + login.knownHosts()));
    }
    return line;
  }

  private void awaitReady() throws IOException {
    Thread errors = daemon("ssh-errors", () -> read(process.getErrorStream()));
    Thread watchdog = daemon("ssh-connect", this::giveUpLater);
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      // The user's shell may print something before.
      if (line.startsWith(READY)) {
        watchdog.interrupt();
        String[] words = line.split(" ", -1);
        address = words.length == 5 ? words[3] : "127.0.0.1";
        daemon("ssh-output", () -> drain(out));
        return;
      }
    }
    awaitExit(process);
    try {
      errors.join(SAID.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw HostProblem.ofSsh(host, lastSaid());
  }

  private void giveUpLater() {
    try {
      Thread.sleep(CONNECT.toMillis());
      process.destroyForcibly();
    } catch (InterruptedException e) {
      // It is connected.
    }
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = DaemonThreads.start(name, task);
    return thread;
  }

  private void read(InputStream stream) {
    try (BufferedReader lines =
        new BufferedReader(new java.io.InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        synchronized (said) {
          said.add(line);
          if (said.size() > SAID_LINES) {
            said.remove();
          }
        }
      }
    } catch (IOException e) {
      // ssh has ended.
    }
  }

  private static void drain(BufferedReader reader) {
    try {
      while (reader.readLine() != null) {
        // Nothing of it matters.
      }
    } catch (IOException e) {
      // ssh has ended.
    }
  }

  private List<String> lastSaid() {
    synchronized (said) {
      return List.copyOf(said);
    }
  }

  /** Whether the connection lasts. */
  boolean isOpen() {
    return process.isAlive();
  }

  /** Returns the SOCKS proxy, which ends with the connection. */
  InetSocketAddress proxy() {
    return proxy;
  }

  /** Returns the host's address where this connection reached it. */
  String address() {
    return address;
  }

  /** Writes the standard input of a session. */
  interface Input {
    /** No input. */
    Input NONE = out -> {};

    void write(OutputStream to) throws IOException;

    static Input of(String text) {
      return out -> out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    static Input of(Path file) {
      return out -> Files.copy(file, out);
    }
  }

  /** Starts a session that the caller talks to. */
  Process session(String command) throws IOException {
    List<String> line = options(host);
    line.addAll(List.of("-o", "ControlMaster=no", "-o", "ControlPath=" + socket));
    // Without the shared connection a session fails; it never makes a connection of its own.
    line.addAll(List.of("-o", "ProxyCommand=false", host.login().host(), command));
    return start(host, line);
  }

  /** Runs a command there and returns what it prints. */
  byte[] run(String command, Input input, Duration patience) throws IOException {
    sessions.acquireUninterruptibly();
    Process session = null;
    try {
      session = session(command);
      Process running = session;
      Thread unused = daemon("ssh-input", () -> feed(running, input));
      ByteArrayOutputStream errors = new ByteArrayOutputStream();
      Thread reader = daemon("ssh-errors", () -> copy(running.getErrorStream(), errors));
      Thread timer = daemon("ssh-timer", () -> killLater(running, patience));
      byte[] out = session.getInputStream().readAllBytes();
      int code = awaitExit(session);
      timer.interrupt();
      reader.join(1000);
      if (code != 0) {
        List<String> lines = errors.toString(StandardCharsets.UTF_8).strip().lines().toList();
        String last = lines.isEmpty() ? "exit code " + code : lines.get(lines.size() - 1);
        boolean lost = code == CONNECTION_LOST || !isOpen();
        throw lost ? new IOException("the connection broke: " + last) : new CommandFailed(last);
      }
      return out;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    } finally {
      if (session != null) {
        session.destroyForcibly();
      }
      sessions.release();
    }
  }

  /** The command ran there and failed. */
  static final class CommandFailed extends IOException {
    private static final long serialVersionUID = 1;

    CommandFailed(String why) {
      super(why);
    }
  }

  private static void feed(Process to, Input input) {
    try (OutputStream out = to.getOutputStream()) {
      input.write(out);
    } catch (IOException e) {
      // Its exit code says what happened.
    }
  }

  private static void copy(InputStream from, ByteArrayOutputStream to) {
    try {
      from.transferTo(to);
    } catch (IOException e) {
      // The session has ended.
    }
  }

  private static void killLater(Process process, Duration patience) {
    try {
      Thread.sleep(patience.toMillis());
      process.destroyForcibly();
    } catch (InterruptedException e) {
      // It has ended in time.
    }
  }

  private static int awaitExit(Process process) throws IOException {
    try {
      if (process.waitFor(5, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      process.destroyForcibly();
      return CONNECTION_LOST;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      // The folder of the sockets is deleted as a whole.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the words as one command of a POSIX shell. */
  static String quoted(@Nullable String word) {
    return "'" + String.valueOf(word).replace("'", "'\\''") + "'";
  }
}
