package io.deepvm.checkpoint.tier;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.memory.ChunkImage;
import io.deepvm.checkpoint.memory.ChunkPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints in the memory of this process, within a budget that is allocated at once. When a
 * shard does not fit, the oldest versions make room, never the newest committed one of a job; when
 * that is not enough, the shard goes to the spill tier.
 */
public final class MemoryTier implements Tier {

  /** Of how many jobs the generation is known here; that of others is asked of the spill tier. */
  private static final int MOST_FENCES = 10_000;

  /** Manifests lie on the heap and may take this share of the budget beside it. */
  private static final int MANIFEST_SHARE = 8;

  private static final long LEAST_FOR_MANIFESTS = 4 << 20;

  private final String name;
  private final Level level;
  private final ChunkPool pool;
  private final long mostManifestBytes;
  private final @Nullable Tier spill;

  /** The generations of jobs, those longest unused first. */
  private final Map<String, Fence> fences = new LinkedHashMap<>(16, 0.75f, true);

  private final TreeMap<Version, MemoryVersion> entries = new TreeMap<>();
  private long manifestBytes;

  /**
   * Allocates the budget.
   *
   * @param spill takes the shards that do not fit; without it they are refused
   */
  public MemoryTier(String name, Level level, DataSize budget, @Nullable Tier spill) {
    this.name = name;
    this.level = level;
    this.pool = new ChunkPool(budget);
    this.mostManifestBytes =
        Math.min(
            Math.max(pool.capacity() / MANIFEST_SHARE, LEAST_FOR_MANIFESTS),
            Runtime.getRuntime().maxMemory() / MANIFEST_SHARE);
    this.spill = spill;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Level level() {
    return level;
  }

  /** Returns how much of the budget is taken. */
  public long usedBytes() {
    return pool.capacity() - pool.available();
  }

  @Override
  public synchronized long generation(String job) throws IOException {
    long mine = Math.max(0, fence(job).generation());
    return spill == null ? mine : Math.max(mine, spill.generation(job));
  }

  private Fence fence(String job) {
    return fences.getOrDefault(job, Fence.NONE);
  }

  /** Returns whether this claim is known here as the newest. */
  public synchronized boolean isHeldBy(String job, Claim claim) {
    return fence(job).isHeldBy(claim);
  }

  @Override
  public synchronized void claim(String job, Claim claim) throws IOException {
    fence(job).check(job, claim);
    if (spill != null) {
      spill.claim(job, claim);
    }
    raise(job, Fence.of(claim));
  }

  /** Takes over what is known elsewhere of a job's newest generation. */
  public synchronized void raise(String job, Fence fence) {
    fences.merge(
        job, fence, (mine, other) -> mine.generation() > other.generation() ? mine : other);
    forgetOldest();
  }

  /** Forgets jobs of which nothing is here, where the spill tier remembers them. */
  private void forgetOldest() {
    if (spill != null && fences.size() > MOST_FENCES) {
      Iterator<String> jobs = fences.keySet().iterator();
      while (jobs.hasNext() && fences.size() > MOST_FENCES) {
        String job = jobs.next();
        if (entries.keySet().stream().noneMatch(version -> version.job().equals(job))) {
          jobs.remove();
        }
      }
    }
  }

  @Override
  public synchronized CheckpointWriter write(Version version, UUID owner) throws IOException {
    Claim claim = new Claim(version.generation(), owner);
    if (!isHeldBy(version.job(), claim)) {
      claim(version.job(), claim);
    }
    MemoryVersion entry = entries.computeIfAbsent(version, v -> new MemoryVersion());
    entry.checkOpen(version);
    entry.users++;
    return new Writer(version, claim, entry);
  }

  @Override
  public synchronized CheckpointReader read(Version version) throws IOException {
    MemoryVersion entry = entries.get(version);
    if (entry == null || entry.manifest == null) {
      throw new NoSuchFileException(version.toString());
    }
    CheckpointReader rest = spill == null || entry.spilled.isEmpty() ? null : spill.read(version);
    entry.users++;
    return new MemoryReader(this, entry, entry.manifest, rest);
  }

  @Override
  public synchronized List<Holding> list(String job) {
    List<Holding> holdings = new ArrayList<>();
    entries.forEach(
        (version, entry) -> {
          if (version.job().equals(job)) {
            holdings.add(entry.holding(version));
          }
        });
    return holdings;
  }

  @Override
  public synchronized boolean delete(Version version, Claim claim) throws IOException {
    fence(version.job()).check(version.job(), claim);
    return delete(version);
  }

  @Override
  public synchronized boolean delete(Version version) throws IOException {
    MemoryVersion entry = entries.get(version);
    if (entry != null && entry.users > 0) {
      return false;
    }
    if (entry != null) {
      entries.remove(version);
      manifestBytes -= entry.manifestBytes;
      entry.close();
    }
    return entry == null || entry.spilled.isEmpty() || spill == null || spill.delete(version);
  }

  /** Returns room for a shard, if need be by giving up old versions. */
  private @Nullable ChunkImage room(long bytes) throws IOException {
    ChunkImage image = pool.acquire(bytes);
    while (image == null && pool.cost(bytes) <= pool.capacity()) {
      Version oldest = oldestSpare();
      if (oldest == null || !delete(oldest)) {
        return null;
      }
      image = pool.acquire(bytes);
    }
    return image;
  }

  /** Throws unless there is room for a manifest, if need be by giving up old versions. */
  private void requireRoomForManifest(Version of, long bytes) throws IOException {
    while (manifestBytes + bytes > mostManifestBytes) {
      Version oldest = oldestSpare();
      if (oldest == null || !delete(oldest)) {
        throw new IOException(
            "The manifest of %s has %s, and the tier %s holds manifests of %s; %s are the most."
                .formatted(
                    of,
                    new DataSize(bytes),
                    name,
                    new DataSize(manifestBytes),
                    new DataSize(mostManifestBytes)));
      }
    }
  }

  /** Returns the oldest version that nobody uses and that is not its job's newest, or null. */
  private @Nullable Version oldestSpare() {
    Map<String, Version> newest = new HashMap<>();
    entries.forEach(
        (version, entry) -> {
          if (entry.manifest != null) {
            newest.put(version.job(), version);
          }
        });
    for (Map.Entry<Version, MemoryVersion> candidate : entries.entrySet()) {
      Version version = candidate.getKey();
      if (candidate.getValue().users == 0 && !version.equals(newest.get(version.job()))) {
        return version;
      }
    }
    return null;
  }

  @Override
  public synchronized void close() throws IOException {
    entries.values().forEach(entry -> entry.pieces.values().forEach(MemoryVersion.Piece::close));
    entries.clear();
    manifestBytes = 0;
    if (spill != null) {
      spill.close();
    }
  }

  private final class Writer implements CheckpointWriter {

    private final Version version;
    private final Claim claim;
    private final MemoryVersion entry;
    private @Nullable CheckpointWriter rest;
    private boolean closed;

    Writer(Version version, Claim claim, MemoryVersion entry) {
      this.version = version;
      this.claim = claim;
      this.entry = entry;
    }

    @Override
    public ShardWriter shard(String shard, long bytes) throws IOException {
      synchronized (MemoryTier.this) {
        ShardName.parse(shard);
        entry.checkOpen(version);
        MemoryVersion.Piece known = entry.pieces.get(shard);
        if (known != null && !known.sealed && known.image.bytes() == bytes) {
          return new MemoryShard(MemoryTier.this, version, shard, entry, known);
        }
        if (known != null) {
          entry.pieces.remove(shard);
          known.close();
        }
        entry.spilled.remove(shard);
        ChunkImage image = room(bytes);
        if (image != null) {
          MemoryVersion.Piece piece = new MemoryVersion.Piece(image);
          entry.pieces.put(shard, piece);
          return new MemoryShard(MemoryTier.this, version, shard, entry, piece);
        }
      }
      return new SpilledShard(shard, spill().shard(shard, bytes));
    }

    private CheckpointWriter spill() throws IOException {
      if (spill == null) {
        throw new IOException(
            "The memory of the tier %s (%s) is full of versions in use."
                .formatted(name, new DataSize(pool.capacity())));
      }
      CheckpointWriter writer = rest;
      if (writer == null) {
        writer = spill.write(version, claim.owner());
        rest = writer;
      }
      return writer;
    }

    @Override
    public Set<String> sealed() {
      synchronized (MemoryTier.this) {
        return entry.holding(version).shards();
      }
    }

    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      Set<String> elsewhere;
      long bytes = manifest.toBytes().length;
      synchronized (MemoryTier.this) {
        if (entry.manifest != null && entry.manifest.isSameSave(manifest)) {
          return;
        }
        check(manifest, held);
        requireRoomForManifest(version, bytes);
        elsewhere = new HashSet<>(entry.spilled);
        elsewhere.retainAll(held);
      }
      if (!elsewhere.isEmpty()) {
        spill().commit(manifest, elsewhere);
      }
      synchronized (MemoryTier.this) {
        check(manifest, held);
        requireRoomForManifest(version, bytes);
        entry.manifest = manifest;
        entry.manifestBytes = bytes;
        manifestBytes += bytes;
      }
    }

    private void check(Manifest manifest, Set<String> held) throws IOException {
      fence(version.job()).check(version.job(), claim);
      entry.checkOpen(version);
      if (!manifest.version().equals(version)) {
        throw new IOException(
            "The manifest is of %s, not of %s.".formatted(manifest.version(), version));
      }
      for (Shard shard : manifest.shards()) {
        MemoryVersion.Piece piece = entry.pieces.get(shard.name());
        boolean here = piece != null && piece.sealed && piece.image.bytes() == shard.bytes();
        if (held.contains(shard.name()) && !here && !entry.spilled.contains(shard.name())) {
          throw new IOException("%s of %s is not there in full.".formatted(shard.name(), version));
        }
      }
    }

    @Override
    public void close() throws IOException {
      synchronized (MemoryTier.this) {
        if (closed) {
          return;
        }
        closed = true;
        entry.users--;
        if (entry.holding(version).shards().isEmpty() && entry.pieces.isEmpty()) {
          delete(version);
        }
      }
      if (rest != null) {
        rest.close();
      }
    }

    /** Notes when a spilled shard is safe. */
    private final class SpilledShard implements ShardWriter {

      private final String shard;
      private final ShardWriter writer;

      SpilledShard(String shard, ShardWriter writer) {
        this.shard = shard;
        this.writer = writer;
      }

      @Override
      public long position() throws IOException {
        return writer.position();
      }

      @Override
      public void write(ByteBuffer bytes) throws IOException {
        writer.write(bytes);
      }

      @Override
      public void seal() throws IOException {
        writer.seal();
        synchronized (MemoryTier.this) {
          entry.checkOpen(version);
          entry.spilled.add(shard);
        }
      }

      @Override
      public void close() throws IOException {
        writer.close();
      }
    }
  }
}
