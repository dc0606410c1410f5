package io.deepvm.bench.prediction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A bridge with a network namespace for each node, whose link can be given another speed at any
 * time. What it sets up it takes down again.
 */
final class ShapedNetwork implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 10;

  /** Of a token bucket: two milliseconds, so that a late timer costs nothing. */
  private static final double BURST_SECONDS = 0.002;

  private static final long LEAST_BURST = 131_072;

  /** Never full, so that nothing is lost: senders stop at what their sockets hold. */
  private static final String QUEUE = "64mb";

  /**
   * A sender has at most so much under way, enough for the fastest link here and little enough for
   * acknowledgements and words of the other direction not to wait long behind it on the slowest. As
   * nothing gets lost, congestion control has nothing to do.
   */
  private static final List<String> SETTINGS =
      List.of(
          "net.ipv4.tcp_congestion_control=reno",
          "net.ipv4.tcp_slow_start_after_idle=0",
          "net.ipv4.tcp_wmem=4096 131072 262144");

  private final String mark = Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);
  private final List<String> spaces = new ArrayList<>();

  ShapedNetwork(int nodes) throws IOException {
    try {
      run("ip", "link", "add", bridge(), "type", "bridge");
      run("ip", "link", "set", bridge(), "up");
      for (int node = 0; node < nodes; node++) {
        add(node);
      }
    } catch (IOException e) {
      close();
      throw new IOException("Network namespaces cannot be made here. Maybe run this as root.", e);
    }
  }

  private String bridge() {
    return "dvp" + mark;
  }

  private String outside(int node) {
    return "dvp%sn%d".formatted(mark, node);
  }

  private void add(int node) throws IOException {
    String space = "deepvm-predict-%s-%d".formatted(mark, node);
    run("ip", "netns", "add", space);
    spaces.add(space);
    run("ip", "link", "add", outside(node), "type", "veth", "peer", "name", "eth0", "netns", space);
    run("ip", "link", "set", outside(node), "master", bridge(), "up");
    run("ip", "-n", space, "addr", "add", host(node) + "/24", "dev", "eth0");
    run("ip", "-n", space, "link", "set", "eth0", "up");
    run("ip", "-n", space, "link", "set", "lo", "up");
    for (String setting : SETTINGS) {
      run("ip", "netns", "exec", space, "sysctl", "-qw", setting);
    }
  }

  /** Returns a node's address. */
  String host(int node) {
    return "10.98.0." + (node + 1);
  }

  /** Returns what a command must begin with to run at a node. */
  List<String> inside(int node) {
    return List.of("ip", "netns", "exec", spaces.get(node));
  }

  /** Makes a node's link carry so many megabits a second each way. */
  void shape(int node, int megabits) throws IOException {
    shape(List.of("tc"), outside(node), megabits);
    shape(List.of("tc", "-n", spaces.get(node)), "eth0", megabits);
  }

  private static void shape(List<String> tc, String device, int megabits) throws IOException {
    long burst = Math.max(LEAST_BURST, (long) (megabits * 1e6 / 8 * BURST_SECONDS));
    String qdisc =
        "qdisc replace dev %s root tbf rate %dmbit burst %d limit %s"
            .formatted(device, megabits, burst, QUEUE);
    List<String> command = new ArrayList<>(tc);
    command.addAll(List.of(qdisc.split(" ", -1)));
    run(command.toArray(String[]::new));
  }

  @Override
  public void close() {
    for (String space : spaces) {
      quietly("ip", "netns", "del", space);
    }
    quietly("ip", "link", "del", bridge());
  }

  private static void quietly(String... command) {
    try {
      run(command);
    } catch (IOException e) {
      // It is gone already.
    }
  }

  private static void run(String... command) throws IOException {
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
  }
}
