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

/** All places where checkpoints are: two anchors, a reserve for when they are gone, an archive. */
final class Stores implements AutoCloseable {

  private final List<AnchorClient> clients;
  private final List<Tier> anchorDisks;
  private final Tier memory;
  private final Tier disks;
  private final Tier reserve;
  private final Tier archive;

  Stores(int firstPort, int secondPort, Path reserve, Path archive) {
    clients = List.of(client(firstPort), client(secondPort));
    anchorDisks =
        List.of(
            new RemoteTier("disk-0", Level.DURABLE, clients.get(0)),
            new RemoteTier("disk-1", Level.DURABLE, clients.get(1)));
    this.reserve = new DirectoryTier("reserve", Level.DURABLE, reserve);
    this.archive = new DirectoryTier("archive", Level.ARCHIVED, archive);
    memory =
        new SpreadTier(
            "memory",
            Level.REPLICATED,
            List.of(
                new RemoteTier("memory-0", Level.REPLICATED, clients.get(0)),
                new RemoteTier("memory-1", Level.REPLICATED, clients.get(1))),
            1);
    disks = new SpreadTier("disks", Level.DURABLE, anchorDisks, 2, this.reserve);
  }

  private static AnchorClient client(int port) {
    return new AnchorClient(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), null, Model.TIMEOUTS);
  }

  /** The anchors' memory: the first that can takes a shard. */
  Tier memory() {
    return memory;
  }

  /** Both anchors' disks, or the reserve in place of one or both. */
  Tier disks() {
    return disks;
  }

  Tier archive() {
    return archive;
  }

  /** Every place by itself, so that damage in one leads to the next. */
  List<Tier> all() {
    return List.of(memory, anchorDisks.get(0), anchorDisks.get(1), reserve, archive);
  }

  @Override
  public void close() {
    clients.forEach(AnchorClient::close);
  }
}
