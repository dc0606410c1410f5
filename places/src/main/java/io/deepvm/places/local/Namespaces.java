package io.deepvm.places.local;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * A network for a run's nodes on this machine: each node in a namespace of its own, joined by a
 * bridge, with links of a given bandwidth. A run that starts clears away the networks of runs whose
 * coordinator and nodes are gone.
 */
final class Namespaces {

  private static final String PREFIX = "deepvm-";
  private static final String BRIDGE = "dvb";
  private static final long PATIENCE_SECONDS = 10;
  private static final int HOSTS = 250;
  private static final Pattern OWNER = Pattern.compile("\\d+@\\d+");

  private final Bandwidth bandwidth;
  private final String mark;
  private final int subnet;

  private Namespaces(Path folder, Bandwidth bandwidth) {
    this.bandwidth = bandwidth;
    CRC32 crc = new CRC32();
    crc.update(folder.toString().getBytes(StandardCharsets.UTF_8));
    this.mark = "%08x".formatted(crc.getValue());
    // Of the private 10.0.0.0/8, away from its low end, which is often in use.
    this.subnet = 64 + (int) (crc.getValue() % 128);
  }

  /** Makes the network of the run in the folder, or finds it again. */
  static Namespaces open(Path folder, Bandwidth bandwidth) throws IOException {
    Namespaces network = new Namespaces(folder, bandwidth);
    if (!permitted()) {
      throw new BadInput(
          "Nodes with links of their own (%s) need root and iproute2.".formatted(bandwidth),
          "Maybe run as root on a machine with ip and tc, or leave the bandwidth out.");
    }
    clearStale();
    String bridge = network.bridge();
    if (!Files.exists(Path.of("/sys/class/net", bridge))) {
      ip("link", "add", bridge, "type", "bridge");
    }
    // Shows other runs whether the network still has a coordinator.
    String owner = ProcessId.of(ProcessHandle.current().pid()).map(ProcessId::toString).orElse("");
    ip("link", "set", bridge, "alias", owner);
    ip("addr", "replace", network.host() + "/16", "dev", bridge);
    ip("link", "set", bridge, "up");
    return network;
  }

  /** Returns the name of the bridge that joins the nodes. */
  String bridge() {
    return BRIDGE + mark;
  }

  private static boolean permitted() {
    try {
      return run(List.of("id", "-u")).strip().equals("0")
          && !run(List.of("tc", "-V")).isEmpty()
          && !run(List.of("ip", "-V")).isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the coordinator's address on the bridge. */
  String host() {
    return "10.%d.0.1".formatted(subnet);
  }

  /** Returns the node's address. */
  String host(String node) {
    int number = number(node);
    return "10.%d.%d.%d".formatted(subnet, 1 + number / HOSTS, 1 + number % HOSTS);
  }

  /**
   * Connects a node, and returns the beginning of its command. A coordinator that ended may have
   * done some of it already.
   */
  List<String> add(String node) throws IOException {
    String space = space(node);
    String outside = outside(node);
    if (!spaces().contains(space)) {
      ip("netns", "add", space);
    }
    if (!devices().contains(outside)) {
      ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", space);
    }
    ip("link", "set", outside, "master", bridge(), "up");
    ip("-n", space, "addr", "replace", host(node) + "/16", "dev", "eth0");
    ip("-n", space, "link", "set", "eth0", "up");
    ip("-n", space, "link", "set", "lo", "up");
    shape(List.of("tc"), outside);
    shape(List.of("tc", "-n", space), "eth0");
    return List.of("ip", "netns", "exec", space);
  }

  private void shape(List<String> tc, String device) throws IOException {
    List<String> line = new ArrayList<>(tc);
    // A token bucket of 10 ms, at least a few packets, and no longer queue than 50 ms.
    long burst = Math.max(32_000, bandwidth.bitsPerSecond() / 8 / 100);
    line.addAll(List.of("qdisc", "replace", "dev", device, "root", "tbf"));
    line.addAll(List.of("rate", bandwidth.bitsPerSecond() + "bit"));
    line.addAll(List.of("burst", Long.toString(burst), "latency", "50ms"));
    run(line);
  }

  /** Cuts the node's link, or mends it. */
  void cut(String node, boolean off) throws IOException {
    ip("link", "set", outside(node), off ? "down" : "up");
  }

  /** Takes a node's network away. */
  void remove(String node) {
    quietly("link", "del", outside(node));
    quietly("netns", "del", space(node));
  }

  /** Takes the whole network away. */
  void close() {
    clear(mark);
  }

  private String space(String node) {
    return PREFIX + mark + "-" + node;
  }

  private String outside(String node) {
    return "v%s%s".formatted(mark, Integer.toString(number(node), Character.MAX_RADIX));
  }

  private static int number(String node) {
    return Integer.parseInt(node.substring(1));
  }

  private static void clear(String mark) {
    try {
      for (String space : spaces()) {
        if (space.startsWith(PREFIX + mark)) {
          quietly("netns", "del", space);
        }
      }
      for (String device : devices()) {
        if (device.startsWith("v" + mark)) {
          quietly("link", "del", device);
        }
      }
      quietly("link", "del", BRIDGE + mark);
    } catch (IOException e) {
      // Without ip there is nothing of ours either.
    }
  }

  /** Clears away the networks of runs whose coordinator and nodes are gone. */
  private static void clearStale() throws IOException {
    for (String device : devices()) {
      Path alias = Path.of("/sys/class/net", device, "ifalias");
      if (device.startsWith(BRIDGE) && Files.exists(alias)) {
        String owner = Files.readString(alias).strip();
        String mark = device.substring(BRIDGE.length());
        // A bridge without an owner is just being made.
        if (OWNER.matcher(owner).matches()
            && !ProcessId.parse(owner).isAlive()
            && !inhabited(mark)) {
          clear(mark);
        }
      }
    }
  }

  private static boolean inhabited(String mark) throws IOException {
    for (String space : spaces()) {
      if (space.startsWith(PREFIX + mark)
          && !run(List.of("ip", "netns", "pids", space)).isBlank()) {
        return true;
      }
    }
    return false;
  }

  private static List<String> spaces() throws IOException {
    return run(List.of("ip", "netns", "list")).lines().map(line -> line.split(" ", 2)[0]).toList();
  }

  private static List<String> devices() throws IOException {
    try (var list = Files.list(Path.of("/sys/class/net"))) {
      return list.map(path -> path.getFileName().toString()).toList();
    }
  }

  private static void ip(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    run(line);
  }

  private static void quietly(String... arguments) {
    try {
      ip(arguments);
    } catch (IOException e) {
      // It is gone already.
    }
  }

  private static String run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("'%s' hangs.".formatted(String.join(" ", command)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
    if (process.exitValue() != 0) {
      throw new IOException("'%s' failed: %s".formatted(String.join(" ", command), said.strip()));
    }
    return said;
  }
}
