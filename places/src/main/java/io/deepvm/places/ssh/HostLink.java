package io.deepvm.places.ssh;

import io.deepvm.base.PrivateFiles;
import io.deepvm.places.Order;
import io.deepvm.places.notice.NoticeReaders;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The way to one host: a connection that is made again whenever it broke, and the requests that the
 * script on the host answers. Every method may block, and any thread may call it.
 */
final class HostLink implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int NAME_BYTES = 200;
  private static final String AUTHORIZED = ".ssh/authorized_keys";
  private static final String SCRIPT = script();
  private static final String SCRIPT_NAME =
      "host-%s.sh".formatted(Content.sum(SCRIPT).substring(0, 12));

  private final SshSettings settings;
  private final SshHost host;
  private final Path socket;
  private @Nullable SshMaster master;
  private boolean provisioned;
  private boolean closed;
  private int connections;

  /**
   * Makes it without a connection.
   *
   * @param socket where the connection's sockets are; each has a number appended
   */
  HostLink(SshSettings settings, SshHost host, Path socket) {
    this.settings = settings;
    this.host = host;
    this.socket = socket;
  }

  private static String script() {
    try (InputStream in = HostLink.class.getResourceAsStream("host.sh")) {
      if (in == null) {
        throw new IllegalStateException("host.sh is missing.");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  SshHost host() {
    return host;
  }

  /** Returns the connection, which is made if there is none. */
  synchronized SshMaster connected() throws IOException {
    SshMaster open = master;
    if (closed) {
      throw new IOException("the run lets go of the host");
    }
    if (open != null && open.isOpen()) {
      return open;
    }
    if (open != null) {
      open.close();
    }
    Path next = socket.resolveSibling("%s.%d".formatted(socket.getFileName(), ++connections));
    SshMaster fresh = SshMaster.open(host, next);
    try {
      String folder = host.folder();
      String path = folder + "/" + SCRIPT_NAME;
      String install =
          "umask 077; mkdir -p %s && cat >%s.$$ && mv %s.$$ %s".formatted(folder, path, path, path);
      fresh.run("sh -c " + SshMaster.quoted(install), SshMaster.Input.of(SCRIPT), PATIENCE);
      master = fresh;
      return fresh;
    } catch (IOException e) {
      fresh.close();
      throw new HostProblem(
          host,
          HostProblem.Kind.OF_BOOT,
          "DeepVM cannot write to %s there: %s".formatted(host.folder(), e.getMessage()),
          "Maybe free some disk, or name another folder: in the hosts file.");
    }
  }

  /** Returns the command that asks the script on the host. */
  String command(String verb, String... arguments) {
    StringBuilder line = new StringBuilder("exec sh ");
    line.append(host.folder()).append('/').append(SCRIPT_NAME).append(' ').append(settings.run());
    line.append(' ').append(verb);
    for (String argument : arguments) {
      line.append(' ').append(SshMaster.quoted(argument));
    }
    return line.toString();
  }

  String ask(SshMaster.Input input, Duration patience, String verb, String... arguments)
      throws IOException {
    byte[] answer = connected().run(command(verb, arguments), input, patience);
    return new String(answer, StandardCharsets.UTF_8).strip();
  }

  private String ask(String verb, String... arguments) throws IOException {
    return ask(SshMaster.Input.NONE, PATIENCE, verb, arguments);
  }

  /** Returns the address where other nodes reach the host. */
  InetAddress address() throws IOException {
    String given = host.address();
    return InetAddress.getByName(given == null ? connected().address() : given);
  }

  /** Returns the SOCKS proxy to the host, or null while there is no connection. */
  synchronized @Nullable InetSocketAddress proxy() {
    SshMaster open = master;
    return open == null || !open.isOpen() ? null : open.proxy();
  }

  /** Returns what the host says of itself. */
  HostFacts facts() throws IOException {
    return HostFacts.of(ask("facts"));
  }

  /** Returns the nodes of any run that are on the host. */
  List<Leftover> list() throws IOException {
    List<Leftover> all = new ArrayList<>();
    for (String line : ask("list").lines().toList()) {
      all.add(Leftover.of(host.name(), line));
    }
    return all;
  }

  /** Brings everything that the nodes of the run need, once. */
  void provision() throws IOException {
    synchronized (this) {
      if (provisioned) {
        return;
      }
    }
    ask("open", settings.owner());
    new Provisioning(this, host).bring(settings.shipment());
    synchronized (this) {
      provisioned = true;
    }
  }

  /** Lets a key log in until the run ends. */
  void allow(String key) throws IOException {
    String file = host.login().authorizedKeys();
    try {
      ask(SshMaster.Input.of(key), PATIENCE, "allow", file == null ? AUTHORIZED : file);
    } catch (SshMaster.CommandFailed e) {
      throw new HostProblem(
          host,
          "its list of keys cannot be written: " + e.getMessage(),
          "Maybe name another file: authorizedKeys: in the hosts file.");
    }
  }

  /** Takes the keys of the run back. */
  void disallow() throws IOException {
    var unused = ask("disallow");
  }

  // --- Nodes ---

  /** Returns how a node stands on the host. */
  NodeOnHost state(String node) throws IOException {
    return NodeOnHost.of(ask("state", node));
  }

  /** Starts a node unless it was started or ended before. */
  NodeOnHost start(Order order) throws IOException {
    String launch = launch(order);
    return NodeOnHost.of(
        ask(
            SshMaster.Input.of(launch),
            PATIENCE,
            "start",
            order.node(),
            Long.toString(leaseSeconds())));
  }

  private long leaseSeconds() {
    return Math.max(1, Math.round(settings.leaseSeconds()));
  }

  /** Returns the variables and the command as lines of a shell. */
  private String launch(Order order) throws IOException {
    StringBuilder lines = new StringBuilder();
    export(lines, NoticeReaders.VARIABLE, NoticeReaders.AUTO);
    order.launch().environment().forEach((name, value) -> export(lines, name, value));
    export(lines, "DEEPVM_HOST", address().getHostAddress());
    export(lines, "DEEPVM_TYPE", host.type());
    export(lines, "DEEPVM_SPEED", "1.0");
    export(lines, "DEEPVM_READY_AT_MS", "0");
    for (Map.Entry<String, Path> secret : order.launch().secrets().entrySet()) {
      String name = secret.getKey();
      String text = SshMaster.quoted(PrivateFiles.readSecret(secret.getValue(), "token"));
      lines.append("printf %%s %s >%s\n".formatted(text, name));
      lines.append("export %s=\"$PWD/%s\"\n".formatted(name, name));
    }
    lines.append("runtime=").append(Runtimes.of(settings.shipment().classes()).sum()).append('\n');
    lines.append("set --");
    order.launch().command().forEach(word -> lines.append(' ').append(SshMaster.quoted(word)));
    return lines.append('\n').toString();
  }

  private static void export(StringBuilder lines, String name, String value) {
    lines.append("export %s=%s\n".formatted(name, SshMaster.quoted(value)));
  }

  /** Ends a node for ever. Returns whether all of its processes are gone. */
  boolean end(String node) throws IOException {
    String answer = ask("end", node);
    return answer.equals("gone") || answer.equals("none");
  }

  /** Copies the logs of a node into a folder here. */
  void fetchLogs(String node, Path into) throws IOException {
    byte[] all = connected().run(command("logs", node), SshMaster.Input.NONE, PATIENCE);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(all));
    for (String head = line(in); head != null; head = line(in)) {
      String[] words = head.split(" ", -1);
      // Nothing that a host sends may name a file elsewhere.
      if (words.length != 2 || !words[0].matches("[A-Za-z0-9-]{1,60}\\.log")) {
        throw new IOException("the logs of %s are garbled".formatted(node));
      }
      byte[] text = in.readNBytes(Integer.parseInt(words[1]));
      Path file = PrivateFiles.create(PrivateFiles.folder(into).resolve(words[0]));
      Files.write(file, text);
    }
  }

  private static @Nullable String line(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 || text.length() > NAME_BYTES) {
        return null;
      }
      text.append((char) next);
    }
    return text.toString();
  }

  /** Ends all nodes of the run and removes its folder. Returns whether nothing is left. */
  boolean clear() throws IOException {
    String answer = ask("clear");
    return answer.equals("gone") || answer.equals("none");
  }

  @Override
  public void close() {
    SshMaster open;
    synchronized (this) {
      closed = true;
      open = master;
      master = null;
    }
    if (open != null) {
      open.close();
    }
  }
}
