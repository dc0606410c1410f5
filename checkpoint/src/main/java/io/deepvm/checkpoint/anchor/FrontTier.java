package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.MemoryTier;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** An anchor's memory, and behind it what it has flushed to its disk. */
final class FrontTier implements Tier {

  private final MemoryTier memory;
  private final Tier disk;

  FrontTier(MemoryTier memory, Tier disk) {
    this.memory = memory;
    this.disk = disk;
  }

  @Override
  public String name() {
    return memory.name();
  }

  @Override
  public Level level() {
    return Level.REPLICATED;
  }

  @Override
  public long generation(String job) throws IOException {
    return Math.max(memory.generation(job), disk.generation(job));
  }

  @Override
  public void claim(String job, Claim claim) throws IOException {
    if (!memory.isHeldBy(job, claim)) {
      // what is durable first: after a crash the fence is there again
      disk.claim(job, claim);
      memory.claim(job, claim);
    }
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) throws IOException {
    claim(version.job(), new Claim(version.generation(), owner));
    return memory.write(version, owner);
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    try {
      return memory.read(version);
    } catch (NoSuchFileException e) {
      return disk.read(version);
    }
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    Map<Version, Holding> all = new TreeMap<>();
    for (Holding holding : disk.list(job)) {
      all.put(holding.version(), holding);
    }
    for (Holding holding : memory.list(job)) {
      all.merge(holding.version(), holding, FrontTier::better);
    }
    return List.copyOf(all.values());
  }

  private static Holding better(Holding onDisk, Holding inMemory) {
    return inMemory.condition() == Holding.Condition.COMMITTED ? inMemory : onDisk;
  }

  /**
   * Deletes a version, but on the disk never the last one that would survive this process: the
   * memory may be ahead of the disk by more versions than are kept. It stays listed, so that it
   * goes with a later deletion. Who wants it gone all the same deletes it at the level of the disk.
   */
  @Override
  public boolean delete(Version version) throws IOException {
    return memory.delete(version) && !isLastDurable(version) && disk.delete(version);
  }

  @Override
  public boolean delete(Version version, Claim claim) throws IOException {
    return memory.delete(version, claim) && !isLastDurable(version) && disk.delete(version, claim);
  }

  /** Whether the disk has this version and nothing newer of which it has as much. */
  private boolean isLastDurable(Version version) throws IOException {
    List<Holding> committed =
        disk.list(version.job()).stream()
            .filter(holding -> holding.condition() == Holding.Condition.COMMITTED)
            .toList();
    return committed.stream()
        .filter(holding -> holding.version().equals(version))
        .anyMatch(mine -> committed.stream().noneMatch(other -> replaces(other, mine)));
  }

  /** Of a version that is spread over several anchors, no disk has all shards. */
  private static boolean replaces(Holding newer, Holding older) {
    return newer.version().compareTo(older.version()) > 0
        && (newer.complete() || !older.complete());
  }

  @Override
  public void close() throws IOException {
    memory.close();
    disk.close();
  }
}
