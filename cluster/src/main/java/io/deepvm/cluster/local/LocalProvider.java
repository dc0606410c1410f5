package io.deepvm.cluster.local;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.NodeRequest;
import io.deepvm.cluster.Provider;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.agent.AgentMain;
import io.deepvm.cluster.agent.AgentStart;
import io.deepvm.cluster.agent.Signals;
import io.deepvm.units.Bandwidth;
import io.deepvm.units.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are processes of this machine: an agent in a session of its own, and what it starts.
 * They outlive a coordinator that is killed, for as long as an agent waits for the next one.
 */
public final class LocalProvider implements Provider {

  private static final String LOOPBACK = "127.0.0.1";
  private static final long KILL_SECONDS = 5;

  /** Where the start is among the fields after the command's name in /proc/PID/stat. */
  private static final int START_TIME = 19;

  /** A small heap and quick start: an agent waits most of the time. */
  private static final List<String> JVM =
      List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

  /**
   * What the nodes are like.
   *
   * @param limit the most at once
   * @param spotBootSeconds until a spot node is ready, if its processes are by then
   * @param onDemandBootSeconds likewise for one on demand
   * @param speeds the speed of each node type relative to others; 1 where nothing is said
   * @param bandwidth of each node's own link; null for none of their own, which needs no root
   */
  public record Options(
      int limit,
      double spotBootSeconds,
      double onDemandBootSeconds,
      Map<String, Double> speeds,
      @Nullable Bandwidth bandwidth) {

    public Options {
      speeds = Map.copyOf(speeds);
    }

    /** Nodes that are there as soon as their processes are. */
    public static Options atOnce(int limit) {
      return new Options(limit, 0, 0, Map.of(), null);
    }
  }

  private final Options options;
  private final Map<String, ProcessHandle> nodes = new ConcurrentHashMap<>();
  private @Nullable RunFolder folder;
  private @Nullable Namespaces network;

  /** Makes a provider for one run. */
  public LocalProvider(Options options) {
    this.options = options;
  }

  @Override
  public String coordinatorHost() {
    return network == null ? LOOPBACK : network.host();
  }

  @Override
  public int limit() {
    return options.limit();
  }

  @Override
  public void open(RunFolder ofRun) throws IOException {
    folder = ofRun;
    Bandwidth bandwidth = options.bandwidth();
    if (bandwidth != null) {
      network = Namespaces.open(ofRun, bandwidth);
    }
  }

  @Override
  public String rent(NodeRequest request, Runnable gone) throws IOException {
    RunFolder run = folder;
    if (run == null) {
      throw new IllegalStateException("The provider was not opened.");
    }
    Path home = run.node(request.node());
    PrivateFiles.folder(home);
    String type = request.pool().instanceType();
    Namespaces links = network;
    double boot =
        request.market() == Market.SPOT ? options.spotBootSeconds() : options.onDemandBootSeconds();
    AgentStart start =
        new AgentStart(
            request.run(),
            request.node(),
            request.role(),
            request.keeper(),
            run.tokenFile().toString(),
            links == null ? LOOPBACK : links.host(request.node()),
            home.toString(),
            type,
            options.speeds().getOrDefault(type, 1.0),
            System.currentTimeMillis() + Math.round(1000 * boot),
            request.sessionSeconds());
    ProcessBuilder builder =
        new ProcessBuilder(command(links == null ? List.of() : links.add(request.node())));
    builder.environment().putAll(start.environment());
    builder.directory(home.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.redirectErrorStream(true);
    Path log = PrivateFiles.create(home.resolve("agent.log"));
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Process process = builder.start();
    follow(request.node(), process.toHandle(), gone);
    return handle(process.toHandle());
  }

  private static List<String> command(List<String> inside) {
    List<String> line = new ArrayList<>();
    line.add("setsid");
    line.addAll(inside);
    line.addAll(JavaCommand.of(JVM, AgentMain.class));
    return line;
  }

  private void follow(String node, ProcessHandle process, Runnable gone) {
    nodes.put(node, process);
    var unused = process.onExit().thenRun(gone);
  }

  /** Returns the process's number and the kernel's own time of its start, which never change. */
  private static String handle(ProcessHandle process) {
    String started = "gone";
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      // The command's name, in brackets, may contain anything.
      started = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[START_TIME];
    } catch (IOException e) {
      // It has ended already.
    }
    return process.pid() + "@" + started;
  }

  @Override
  public boolean adopt(String node, String handle, Runnable gone) {
    ProcessHandle process = find(handle);
    if (process == null) {
      return false;
    }
    follow(node, process, gone);
    return true;
  }

  /** Returns the process, unless it is gone and its number is another's. */
  static @Nullable ProcessHandle find(String handle) {
    ProcessHandle process =
        ProcessHandle.of(Long.parseLong(handle.substring(0, handle.indexOf('@')))).orElse(null);
    return process == null || !process.isAlive() || !handle(process).equals(handle)
        ? null
        : process;
  }

  @Override
  public boolean alive(String node) {
    ProcessHandle process = nodes.get(node);
    return process != null && process.isAlive();
  }

  @Override
  public void end(String node) {
    ProcessHandle process = nodes.get(node);
    if (process != null && process.isAlive()) {
      kill(process);
    }
    Namespaces links = network;
    if (links != null && process != null) {
      links.remove(node);
    }
  }

  /** Cuts the link of a node that has one of its own, or mends it. */
  public void cut(String node, boolean off) throws IOException {
    Namespaces links = network;
    if (links == null) {
      throw new IllegalStateException("The nodes have no links of their own.");
    }
    links.cut(node, off);
  }

  /** Kills an agent, what it started, and what is left in its session. */
  private static void kill(ProcessHandle process) {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
    Signals.send("KILL", process.pid());
    try {
      process.onExit().get(KILL_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("The process %d does not end.".formatted(process.pid()), e);
    }
  }

  @Override
  public void close() {
    nodes.keySet().forEach(this::end);
    Namespaces links = network;
    if (links != null) {
      links.close();
    }
  }
}
