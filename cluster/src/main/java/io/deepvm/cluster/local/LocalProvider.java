package io.deepvm.cluster.local;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.NodeRequest;
import io.deepvm.cluster.Provider;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.agent.AgentMain;
import io.deepvm.cluster.agent.AgentStart;
import io.deepvm.cluster.agent.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

  /** A small heap and quick start: an agent waits most of the time. */
  private static final List<String> JVM =
      List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

  /**
   * What the nodes are like.
   *
   * @param limit the most at once
   * @param spotBootSeconds for which a spot node pretends to boot
   * @param onDemandBootSeconds likewise for one on demand
   * @param speeds the speed of each node type relative to others; 1 where nothing is said
   */
  public record Options(
      int limit, double spotBootSeconds, double onDemandBootSeconds, Map<String, Double> speeds) {

    public Options {
      speeds = Map.copyOf(speeds);
    }

    /** Nodes that are there as soon as their processes are. */
    public static Options atOnce(int limit) {
      return new Options(limit, 0, 0, Map.of());
    }
  }

  private final Options options;
  private final Map<String, ProcessHandle> nodes = new ConcurrentHashMap<>();
  private @Nullable RunFolder folder;

  /** Makes a provider for one run. */
  public LocalProvider(Options options) {
    this.options = options;
  }

  @Override
  public String coordinatorHost() {
    return LOOPBACK;
  }

  @Override
  public int limit() {
    return options.limit();
  }

  @Override
  public void open(RunFolder ofRun) throws IOException {
    folder = ofRun;
  }

  @Override
  public String rent(NodeRequest request, Runnable gone) throws IOException {
    RunFolder run = folder;
    if (run == null) {
      throw new IllegalStateException("The provider was not opened.");
    }
    Path home = run.node(request.node());
    Files.createDirectories(home);
    String type = request.pool().instanceType();
    AgentStart start =
        new AgentStart(
            request.run(),
            request.node(),
            request.role(),
            request.keeper(),
            run.tokenFile().toString(),
            LOOPBACK,
            home.toString(),
            type,
            options.speeds().getOrDefault(type, 1.0),
            request.sessionSeconds());
    double boot =
        request.market() == Market.SPOT ? options.spotBootSeconds() : options.onDemandBootSeconds();
    ProcessBuilder builder = new ProcessBuilder(command(boot));
    builder.environment().putAll(start.environment());
    builder.directory(home.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("agent.log").toFile()));
    Process process = builder.start();
    follow(request.node(), process.toHandle(), gone);
    return handle(process.toHandle());
  }

  private static List<String> command(double bootSeconds) {
    List<String> line = new ArrayList<>();
    line.add("setsid");
    if (bootSeconds > 0) {
      // The process is there from the start, so that it is known and can be taken while it boots.
      line.addAll(List.of("sh", "-c", "sleep \"$0\" && exec \"$@\""));
      line.add(String.format(Locale.ROOT, "%.3f", bootSeconds));
    }
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(JVM);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), AgentMain.class.getName()));
    return line;
  }

  private void follow(String node, ProcessHandle process, Runnable gone) {
    nodes.put(node, process);
    var unused = process.onExit().thenRun(gone);
  }

  private static String handle(ProcessHandle process) {
    return process.pid()
        + "@"
        + process.info().startInstant().map(start -> start.toEpochMilli()).orElse(0L);
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
  }
}
