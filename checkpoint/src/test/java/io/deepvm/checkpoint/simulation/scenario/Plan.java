package io.deepvm.checkpoint.simulation.scenario;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.s3.S3Location;
import io.deepvm.checkpoint.s3.S3Tier;
import io.deepvm.checkpoint.simulation.SimulatedFiles;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.SimulatedStore;
import io.deepvm.checkpoint.simulation.World;
import io.deepvm.checkpoint.tier.AnchoredStore;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.Tier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Where checkpoints go in a run.
 *
 * @param anchors how many anchors stand before the store
 * @param disks how many anchors the store consists of, of which two keep each version
 * @param uploads whether the anchors copy to the store themselves, too
 * @param length how long things go wrong
 */
record Plan(
    StoreKind kind,
    int anchors,
    int disks,
    boolean uploads,
    int writers,
    Retention retention,
    long length,
    SimulatedStore objects) {

  static final String JOB = "job";

  private static final int FIRST_PORT = 7000;
  private static final int COPIES = 2;

  /** The kinds of stores. */
  enum StoreKind {
    FOLDER,
    ARCHIVE_FOLDER,
    OBJECTS,
    ANCHOR_DISK
  }

  /** The tiers of one process, and the connections they use. */
  record Tiers(List<Tier> tiers, Tier store, List<AnchorClient> clients) {

    void close() {
      clients.forEach(AnchorClient::close);
      if (store instanceof S3Tier objects) {
        objects.close();
      }
    }
  }

  static Plan draw(World world, SplittableRandom random) {
    StoreKind kind = StoreKind.values()[random.nextInt(StoreKind.values().length)];
    int anchors = random.nextBoolean() ? 0 : 1 + random.nextInt(2);
    boolean uploads = kind == StoreKind.OBJECTS && random.nextBoolean();
    int writers = 2 + random.nextInt(3);
    Retention retention = new Retention(1 + random.nextInt(3), 0);
    long length = (10 + random.nextInt(60)) * Scenario.SECOND;
    boolean onDisks = kind == StoreKind.ANCHOR_DISK;
    return new Plan(
        kind,
        onDisks ? 0 : anchors,
        onDisks ? 1 + random.nextInt(3) : 0,
        uploads,
        writers,
        retention,
        length,
        new SimulatedStore(world));
  }

  int anchorCount() {
    return anchors + disks;
  }

  /** Returns the level that a save in the store has. */
  Level safe() {
    return kind == StoreKind.FOLDER || kind == StoreKind.ANCHOR_DISK
        ? Level.DURABLE
        : Level.ARCHIVED;
  }

  static InetSocketAddress address(int anchor) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), FIRST_PORT + anchor);
  }

  /** Opens the tiers for a process. */
  Tiers open(SimulatedProcess process) {
    List<AnchorClient> clients = new ArrayList<>();
    for (int i = 0; i < anchorCount(); i++) {
      clients.add(new AnchorClient(address(i), null));
    }
    Tier store = store(process, clients);
    List<Tier> before = new ArrayList<>();
    for (int i = 0; i < anchors; i++) {
      before.add(new RemoteTier("anchor" + i, Level.REPLICATED, clients.get(i)));
    }
    return new Tiers(AnchoredStore.tiers(before, store), store, clients);
  }

  private Tier store(SimulatedProcess process, List<AnchorClient> clients) {
    SimulatedFiles files = process.files();
    return switch (kind) {
      case FOLDER -> new DirectoryTier("store", Level.DURABLE, files.getPath("/store"));
      case ARCHIVE_FOLDER -> new DirectoryTier("store", Level.ARCHIVED, files.getPath("/store"));
      case OBJECTS -> objectStore();
      case ANCHOR_DISK -> onDisks(clients);
    };
  }

  private Tier onDisks(List<AnchorClient> clients) {
    List<Tier> members = new ArrayList<>();
    for (int i = 0; i < disks; i++) {
      members.add(new RemoteTier("store" + i, Level.DURABLE, clients.get(i)));
    }
    return disks == 1
        ? members.get(0)
        : new SpreadTier("store", Level.DURABLE, members, Math.min(COPIES, disks));
  }

  /** Whether sessions may begin, and go on saving, that reach different parts of the store. */
  boolean canBeSplit() {
    return disks > 1;
  }

  /** Opens the object store. */
  Tier objectStore() {
    return new S3Tier(
        "store",
        S3Location.parse("s3://bucket/checkpoints", null, null),
        objects,
        new DataSize(8 << 20));
  }

  @Override
  public String toString() {
    return "%s, %d anchors%s, %d writers, keep %d, %d s"
        .formatted(
            kind,
            anchorCount(),
            uploads ? " that upload" : "",
            writers,
            retention.last(),
            length / Scenario.SECOND);
  }
}
