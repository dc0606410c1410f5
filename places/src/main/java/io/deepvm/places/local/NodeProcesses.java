package io.deepvm.places.local;

import io.deepvm.base.PrivateFiles;
import io.deepvm.catalog.Market;
import io.deepvm.market.Pool;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts and kills the processes that are the nodes of one run; every method may block. */
final class NodeProcesses {

  private static final String LOOPBACK = "127.0.0.1";
  private static final long KILL_MS = 5000;
  private static final long POLL_MS = 2;

  private final Path folder;
  private final LocalOptions options;
  private final List<Pool> pools;
  private final Clock clock;
  private final OrderPoints points;
  private final @Nullable Namespaces network;

  /** Prepares to start nodes of the run in the folder. */
  NodeProcesses(
      Path folder, LocalOptions options, List<Pool> pools, Clock clock, OrderPoints points)
      throws IOException {
    this.folder = folder.toAbsolutePath().normalize();
    this.options = options;
    this.pools = pools;
    this.clock = clock;
    this.points = points;
    this.network =
        options.bandwidth() == null ? null : Namespaces.open(this.folder, options.bandwidth());
  }

  /** Returns the address that the coordinator listens on. */
  String coordinatorHost() {
    return network == null ? LOOPBACK : network.host();
  }

  private Path home(String node) {
    return folder.resolve("nodes").resolve(node);
  }

  /**
   * Returns the process that is the node, which this call or an earlier one started. It may have
   * ended since. Empty if the node was ended before it started.
   */
  Optional<ProcessId> start(Order order) throws IOException {
    String node = order.node();
    points.reached(OrderPoint.BEFORE_START, node);
    Path home = home(node);
    Claim claim = new Claim(home);
    if (!claim.isMade()) {
      PrivateFiles.folder(home);
      Process process = launch(order, home);
      points.reached(OrderPoint.AFTER_START, node);
      awaitClaim(process);
      if (!claim.isMade()) {
        // A refusal promises that no machine will ever be there.
        claim.forbid();
        if (claim.holder() == null) {
          throw new IOException(
              "its process ended before it claimed %s, see agent.log there".formatted(home));
        }
      }
    }
    points.reached(OrderPoint.AFTER_CLAIM, node);
    return Optional.ofNullable(claim.holder());
  }

  private Process launch(Order order, Path home) throws IOException {
    List<String> line = new ArrayList<>();
    line.add("setsid");
    if (network != null) {
      line.addAll(network.add(order.node()));
    }
    line.addAll(Claim.script());
    line.addAll(order.launch().command());
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().putAll(order.launch().environment());
    order
        .launch()
        .secrets()
        .forEach((name, file) -> builder.environment().put(name, file.toString()));
    builder.environment().putAll(facts(order, home));
    builder.directory(home.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    Path log = PrivateFiles.create(home.resolve("agent.log"));
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return builder.start();
  }

  /** Returns the variables that only this place knows. */
  private Map<String, String> facts(Order order, Path home) {
    String type = pools.get(order.pool()).instanceType();
    double boot =
        order.market() == Market.SPOT ? options.spotBootSeconds() : options.onDemandBootSeconds();
    return Map.of(
        "DEEPVM_HOST",
        network == null ? LOOPBACK : network.host(order.node()),
        "DEEPVM_FOLDER",
        home.toString(),
        "DEEPVM_TYPE",
        type,
        "DEEPVM_SPEED",
        Double.toString(options.speeds().getOrDefault(type, 1.0)),
        "DEEPVM_READY_AT_MS",
        Long.toString(clock.millis() + Math.round(1000 * boot)));
  }

  /** Waits until the process has claimed its folder, found it claimed, or ended. */
  private static void awaitClaim(Process process) {
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      said.readLine();
    } catch (IOException e) {
      // The claim itself says what happened.
    }
  }

  /**
   * Kills the process, the processes that it started and the rest of its session. Returns whether
   * all of them are gone.
   */
  boolean kill(ProcessId id) throws IOException {
    ProcessHandle process = id.find().orElse(null);
    if (process == null) {
      return true;
    }
    List<ProcessId> all =
        Stream.concat(Stream.of(id), process.descendants().flatMap(child -> of(child).stream()))
            .toList();
    all.forEach(member -> member.find().ifPresent(ProcessHandle::destroyForcibly));
    return killGroup(id.pid()) && await(all);
  }

  private static Optional<ProcessId> of(ProcessHandle process) {
    return ProcessId.of(process.pid());
  }

  /** Kills a process group, which Java cannot do by itself. */
  private static boolean killGroup(long head) throws IOException {
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + head)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      return kill.waitFor(KILL_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean await(List<ProcessId> processes) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(KILL_MS);
    while (processes.stream().anyMatch(ProcessId::isAlive)) {
      if (System.nanoTime() > until) {
        return false;
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  /** Makes sure that a node never starts, and kills it if it has. Returns whether it is gone. */
  boolean prevent(String node) throws IOException {
    Claim claim = new Claim(home(node));
    claim.forbid();
    ProcessId holder = claim.holder();
    return holder == null || kill(holder);
  }

  /** Takes the link of a node away that has ended. */
  void unlink(String node) {
    if (network != null) {
      network.remove(node);
    }
  }

  /** Cuts the link of a node that has one of its own, or mends it. */
  void cut(String node, boolean off) throws IOException {
    if (network == null) {
      throw new IllegalStateException("The nodes have no links of their own.");
    }
    network.cut(node, off);
  }

  /** Takes the network away; no node may live. */
  void close() {
    if (network != null) {
      network.close();
    }
  }
}
