package io.deepvm.places.ssh;

import io.deepvm.base.DaemonThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The connections to the hosts of a run; each is made when it is needed first. */
public final class SshHosts implements AutoCloseable {

  private final SshSettings settings;
  private final Path sockets;
  private final Map<String, HostLink> links = Collections.synchronizedMap(new LinkedHashMap<>());

  private SshHosts(SshSettings settings, Path sockets) {
    this.settings = settings;
    this.sockets = sockets;
    for (SshHost host : settings.hosts()) {
      add(host);
    }
  }

  /** Takes a host in that the settings do not name. */
  void add(SshHost host) {
    synchronized (links) {
      // Sockets have short names.
      Path socket = sockets.resolve(Integer.toString(links.size()));
      links.putIfAbsent(host.name(), new HostLink(settings, host, socket));
    }
  }

  private List<HostLink> links() {
    synchronized (links) {
      return List.copyOf(links.values());
    }
  }

  /** Makes them without connecting. */
  public static SshHosts of(SshSettings settings) throws IOException {
    // Sockets have short names at most.
    return new SshHosts(settings, Files.createTempDirectory("deepvm-ssh"));
  }

  SshSettings settings() {
    return settings;
  }

  @Nullable HostLink link(String host) {
    return links.get(host);
  }

  /** Something to do with a host. */
  interface Task<T> {
    T on(HostLink link) throws IOException;
  }

  /**
   * What came of a host.
   *
   * @param value null if there is a problem
   * @param problem null if there is a value
   */
  public record Answer<T>(SshHost host, @Nullable T value, @Nullable HostProblem problem) {}

  /** Does something with all hosts at once, and returns what came of each, in their order. */
  <T> List<Answer<T>> all(Task<T> task) {
    ExecutorService threads = Executors.newCachedThreadPool(SshHosts::daemon);
    try {
      return links().stream()
          .map(link -> CompletableFuture.supplyAsync(() -> answer(link, task), threads))
          .toList()
          .stream()
          .map(CompletableFuture::join)
          .toList();
    } finally {
      threads.shutdown();
    }
  }

  private static Thread daemon(Runnable task) {
    return DaemonThreads.of("ssh-hosts", task);
  }

  private static <T> Answer<T> answer(HostLink link, Task<T> task) {
    try {
      return new Answer<>(link.host(), task.on(link), null);
    } catch (HostProblem e) {
      return new Answer<>(link.host(), null, e);
    } catch (IOException | RuntimeException e) {
      String why = String.valueOf(e.getMessage());
      return new Answer<>(link.host(), null, new HostProblem(link.host(), why, "Maybe try again."));
    }
  }

  /** Connects to all hosts and returns what each says of itself. */
  public List<Answer<HostFacts>> facts() {
    return all(HostLink::facts);
  }

  /** Connects to all hosts and brings what nodes need. */
  public List<Answer<Boolean>> provision() {
    return all(
        link -> {
          link.provision();
          return true;
        });
  }

  /** Lets a key log in to all hosts until the run ends. */
  public List<Answer<Boolean>> allow(String key) {
    return all(
        link -> {
          link.allow(key);
          return true;
        });
  }

  /**
   * Finds the nodes of the run for a coordinator that knows an old copy of the log. The host of a
   * node that is held is kept in the run's folder; other nodes are ended. The run's keys of the
   * coordinator before are taken back.
   *
   * @return the nodes that were ended on each host
   */
  public List<Answer<List<String>>> find(Set<String> held, Path folder) {
    HostLedger ledger = new HostLedger(folder);
    return all(
        link -> {
          link.disallow();
          List<String> ended = new ArrayList<>();
          for (Leftover node : link.list()) {
            if (node.run().equals(settings.run()) && held.contains(node.node())) {
              String unused = ledger.give(node.node(), link.host().name());
            } else if (node.run().equals(settings.run()) && link.end(node.node())) {
              ended.add(node.node());
            }
          }
          return ended;
        });
  }

  /** Takes the keys of the run back on all hosts. */
  public List<Answer<Boolean>> disallow() {
    return all(
        link -> {
          link.disallow();
          return true;
        });
  }

  /** Returns the nodes of any run that are on the hosts. */
  public List<Answer<List<Leftover>>> list() {
    return all(HostLink::list);
  }

  /** Ends the nodes of the settings' run on all hosts; returns whether nothing is left on each. */
  public List<Answer<Boolean>> clear() {
    return all(HostLink::clear);
  }

  /** Returns how many hosts each type has. */
  Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    settings.hosts().forEach(host -> counts.merge(host.type(), 1, Integer::sum));
    return counts;
  }

  @Override
  public void close() {
    links().forEach(HostLink::close);
    try (Stream<Path> all = Files.walk(sockets)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      // Only an empty folder stays behind.
    }
  }
}
