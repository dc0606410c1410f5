package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.Tier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** Where a trainer saves: two anchors, and a reserve for when they are gone. */
final class Stores implements AutoCloseable {

  private final List<AnchorClient> clients;
  private final Tier memory;
  private final Tier disks;

  Stores(int firstPort, int secondPort, Path reserve) {
    clients = List.of(client(firstPort), client(secondPort));
    memory = new SpreadTier("memory", Level.REPLICATED, at(Level.REPLICATED), 1);
    disks =
        new SpreadTier(
            "disks",
            Level.DURABLE,
            at(Level.DURABLE),
            2,
            new DirectoryTier("reserve", Level.DURABLE, reserve));
  }

  private List<Tier> at(Level level) {
    return List.of(
        new RemoteTier("anchor-0", level, clients.get(0)),
        new RemoteTier("anchor-1", level, clients.get(1)));
  }

  private static AnchorClient client(int port) {
    return new AnchorClient(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), null, Model.TIMEOUTS);
  }

  /** The anchors' memory, each version at one of them. */
  Tier memory() {
    return memory;
  }

  /** Both anchors' disks, or the reserve in place of one or both. */
  Tier disks() {
    return disks;
  }

  @Override
  public void close() {
    clients.forEach(AnchorClient::close);
  }
}
