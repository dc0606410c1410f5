package io.deepvm.places.ssh;

import io.deepvm.base.DaemonThreads;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/** Starts and ends the nodes of one run on its hosts; every method may block. */
final class NodesOfRun {

  private final Path folder;
  private final SshHosts hosts;
  private final HostLedger ledger;

  /** Prepares for the run whose files are in the folder. */
  NodesOfRun(Path folder, SshHosts hosts) {
    this.folder = folder.toAbsolutePath().normalize();
    this.hosts = hosts;
    this.ledger = new HostLedger(this.folder);
  }

  HostLedger ledger() {
    return ledger;
  }

  HostLink link(String host) {
    HostLink link = hosts.link(host);
    if (link == null) {
      throw new IllegalStateException("No host is called " + host);
    }
    return link;
  }

  /**
   * What came of a start.
   *
   * @param host the host that the node was given, now or before
   */
  record Started(String host, NodeOnHost found) {}

  /**
   * Starts a node that was not started or ended before.
   *
   * @param wanted the host to give it if it has none
   * @param fresh whether it may be started if its host knows nothing of it
   * @throws HostProblem if the node certainly does not exist
   * @throws IOException if nobody knows whether it exists
   */
  Started start(Order order, String wanted, boolean fresh, OrderPoints points) throws IOException {
    String node = order.node();
    points.reached(OrderPoint.BEFORE_START, node);
    boolean first = ledger.host(node) == null;
    String host = ledger.give(node, wanted);
    if (host.equals(HostLedger.NOBODY)) {
      return new Started(host, new NodeOnHost(NodeOnHost.Kind.NOBODY, ""));
    }
    HostLink link = link(host);
    NodeOnHost found = find(link, node, first, fresh);
    if (found.kind() == NodeOnHost.Kind.NONE && fresh) {
      found = launch(link, order, points);
      if (found.kind() == NodeOnHost.Kind.BUSY || found.kind() == NodeOnHost.Kind.FAILED) {
        // A refusal promises that no machine will ever be there.
        link.end(node);
        ledger.takeBack(node);
      }
    }
    points.reached(OrderPoint.AFTER_CLAIM, node);
    return new Started(host, found);
  }

  /**
   * Asks the host of the node, and brings what it needs if it can start there.
   *
   * @param first whether no host has received the node before
   */
  private NodeOnHost find(HostLink link, String node, boolean first, boolean fresh)
      throws IOException {
    try {
      NodeOnHost found = link.state(node);
      if (found.kind() == NodeOnHost.Kind.NONE && fresh) {
        link.provision();
      }
      return found;
    } catch (IOException e) {
      if (!first) {
        throw new IOException(e.getMessage(), e);
      }
      ledger.takeBack(node);
      throw e instanceof HostProblem problem
          ? problem
          : new HostProblem(link.host(), String.valueOf(e.getMessage()), "Maybe try again.");
    }
  }

  private static NodeOnHost launch(HostLink link, Order order, OrderPoints points)
      throws IOException {
    CompletableFuture<NodeOnHost> answer = new CompletableFuture<>();
    DaemonThreads.start(
        "ssh-start",
        () -> {
          try {
            answer.complete(link.start(order));
          } catch (IOException | RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    points.reached(OrderPoint.AFTER_START, order.node());
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  /** Ends a node for ever, and brings its logs. Returns whether all of its processes are gone. */
  boolean end(String node) throws IOException {
    String host = ledger.give(node, HostLedger.NOBODY);
    if (host.equals(HostLedger.NOBODY)) {
      return true;
    }
    HostLink link = link(host);
    boolean gone = link.end(node);
    if (gone) {
      link.fetchLogs(node, folder.resolve("nodes").resolve(node));
    }
    return gone;
  }

  /** Removes the run's folder from the hosts that had a node; no node may live. */
  void clear() {
    Set<String> used = new TreeSet<>();
    try (Stream<Path> all = Files.list(folder.resolve("nodes"))) {
      for (Path node : all.toList()) {
        String host = ledger.host(node.getFileName().toString());
        if (host != null && hosts.link(host) != null) {
          used.add(host);
        }
      }
    } catch (IOException e) {
      // Without nodes there is nothing to clear.
    }
    hosts.all(link -> used.contains(link.host().name()) && link.clear());
  }
}
