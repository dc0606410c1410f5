package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.SafetensorsHeader;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What can be done with the checkpoints in some tiers: list, verify, restore, export, clean up. */
public final class Checkpoints {

  private static final System.Logger LOG = System.getLogger(Checkpoints.class.getName());

  private final List<Tier> tiers;
  private final int threads;
  private final Claims claims;

  /** Looks into these tiers, the fastest first, and reads with this many threads. */
  public Checkpoints(List<Tier> tiers, int threads) {
    this.tiers = List.copyOf(tiers);
    this.threads = threads;
    this.claims = new Claims(tiers, InstantSource.system());
  }

  /**
   * A version that can be restored.
   *
   * @param tiers the tiers that have all of it, the fastest first
   */
  public record Listed(Version version, List<String> tiers, long bytes) {

    public Listed {
      tiers = List.copyOf(tiers);
    }
  }

  /**
   * What was found.
   *
   * @param checkpoints the newest first
   * @param problems tiers that could not be reached, and versions that are damaged
   */
  public record Listing(List<Listed> checkpoints, List<String> problems) {

    public Listing {
      checkpoints = List.copyOf(checkpoints);
      problems = List.copyOf(problems);
    }
  }

  /** Returns the versions of a job that can be restored. */
  public Listing list(String job) {
    TreeMap<Version, Listed> found = new TreeMap<>(Comparator.reverseOrder());
    List<String> problems = new ArrayList<>();
    for (Tier tier : tiers) {
      try {
        for (Holding holding : tier.list(job)) {
          if (holding.complete()) {
            found.merge(
                holding.version(),
                new Listed(holding.version(), List.of(tier.name()), holding.bytes()),
                Checkpoints::join);
          } else if (holding.condition() != Holding.Condition.UNCOMMITTED) {
            problems.add("%s: %s is damaged.".formatted(tier.name(), holding.version()));
          }
        }
        for (String member : tier.unreachable()) {
          problems.add("%s: %s cannot be reached.".formatted(tier.name(), member));
        }
      } catch (IOException e) {
        problems.add("%s: %s".formatted(tier.name(), e));
      }
    }
    return new Listing(List.copyOf(found.values()), problems);
  }

  private static Listed join(Listed a, Listed b) {
    List<String> names = new ArrayList<>(a.tiers);
    names.addAll(b.tiers);
    return new Listed(a.version, names, a.bytes);
  }

  /** Returns the newest generation that was claimed for a job, zero when none was. */
  public long newestGeneration(String job) throws IOException {
    return claims.newest(job);
  }

  /**
   * Claims a generation newer than any other, and returns the claim. One worker does so for all;
   * the others are given its text.
   */
  public Claim nextGeneration(String job) throws IOException {
    return nextGeneration(Claims.Request.of(job, UUID.randomUUID()));
  }

  /**
   * Claims a generation newer than any other, and returns the claim.
   *
   * @throws io.deepvm.checkpoint.tier.StaleGeneration when the owner goes on, and another one has
   *     begun a newer generation
   */
  public Claim nextGeneration(Claims.Request request) throws IOException {
    return claims.next(request);
  }

  /**
   * Throws {@link io.deepvm.checkpoint.tier.StaleGeneration} when the owner goes on, and another
   * one has begun a newer generation.
   */
  public void checkNewest(Claims.Request request) throws IOException {
    claims.checkNewest(request);
  }

  /**
   * Restores the newest version that is whole, from the first tier where it is; on any damage goes
   * on to the next tier, then to the version before.
   *
   * @param targets says, for the tensors of a manifest, which bytes are wanted and where
   * @return null when there is no checkpoint at all
   * @throws IOException when there are some, but none can be restored
   */
  public @Nullable Restored restore(String job, Function<Manifest, List<Slice>> targets)
      throws IOException {
    return newest(job, (listed, problems) -> restore(listed, targets, problems));
  }

  /** Says where a version is to be exported to. */
  public interface Place {
    Path of(Listed listed) throws IOException;
  }

  /**
   * Writes the newest version that is whole as a plain safetensors file.
   *
   * @return null when there is no checkpoint at all
   * @throws IOException when there are some, but none can be restored
   */
  public @Nullable Restored exportNewest(String job, Place place) throws IOException {
    return newest(
        job, (listed, problems) -> export(listed.version, place.of(listed), t -> true, problems));
  }

  /** Gets a version, or returns null and adds the reasons to the problems. */
  private interface Attempt {
    @Nullable Restored get(Listed listed, List<String> problems) throws IOException;
  }

  /** Gets the newest version that can be had, and warns if newer or nearer ones could not. */
  private @Nullable Restored newest(String job, Attempt attempt) throws IOException {
    Listing listing = list(job);
    List<String> problems = new ArrayList<>(listing.problems);
    for (Listed listed : listing.checkpoints) {
      try {
        Restored restored = attempt.get(listed, problems);
        if (restored != null) {
          warn(restored, problems);
          return restored;
        }
      } catch (IOException e) {
        problems.add("%s: %s".formatted(listed.version, e.getMessage()));
      }
    }
    if (problems.isEmpty()) {
      return null;
    }
    throw new IOException(
        "No checkpoint of %s can be restored: %s".formatted(job, String.join("; ", problems)));
  }

  /** Logs that newer versions or nearer copies could not be used, if so. */
  public static void warn(Restored restored, List<String> problems) {
    if (!problems.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is restored from {1}. A newer version or a nearer copy cannot be: {2}",
          restored.manifest().version(),
          restored.tier(),
          String.join("; ", problems));
    }
  }

  /** Restores one version, from the first tier where it is whole. */
  public Restored restore(Version version, Function<Manifest, List<Slice>> targets)
      throws IOException {
    List<String> names = tiers.stream().map(Tier::name).toList();
    List<String> problems = new ArrayList<>();
    Restored restored = restore(new Listed(version, names, 0), targets, problems);
    if (restored == null) {
      throw new IOException(
          "%s cannot be restored: %s".formatted(version, String.join("; ", problems)));
    }
    return restored;
  }

  private @Nullable Restored restore(
      Listed listed, Function<Manifest, List<Slice>> targets, List<String> problems) {
    for (Tier tier : tiers) {
      if (listed.tiers.contains(tier.name())) {
        try (CheckpointReader reader = tier.read(listed.version);
            Crew crew = new Crew("deepvm-checkpoint-restore", threads)) {
          Restore.fill(reader, targets.apply(reader.manifest()), crew);
          return new Restored(reader.manifest(), tier.name(), problems);
        } catch (IOException e) {
          problems.add("%s: %s: %s".formatted(tier.name(), listed.version, e.getMessage()));
        }
      }
    }
    return null;
  }

  /** Reads and checks every byte of a version in every tier that has it; returns the problems. */
  public List<String> verify(Version version) {
    List<String> problems = new ArrayList<>();
    int found = 0;
    for (Tier tier : tiers) {
      try (CheckpointReader reader = tier.read(version);
          Crew crew = new Crew("deepvm-checkpoint-verify", threads)) {
        found++;
        Restore.verify(reader, crew);
        for (Shard shard : reader.manifest().shards()) {
          checkHeader(reader, shard);
        }
      } catch (NoSuchFileException e) {
        // not every tier has every version
      } catch (IOException e) {
        problems.add("%s: %s".formatted(tier.name(), e.getMessage()));
      }
    }
    if (found == 0 && problems.isEmpty()) {
      problems.add("No tier has %s.".formatted(version));
    }
    return problems;
  }

  /** Checks that a shard is a safetensors file with as many tensors as the manifest says. */
  private static void checkHeader(CheckpointReader reader, Shard shard) throws IOException {
    if (shard.bytes() < Long.BYTES) {
      throw new CorruptCheckpoint("%s is no safetensors file.".formatted(shard.name()));
    }
    ByteBuffer length = ByteBuffer.allocate(Long.BYTES);
    reader.read(shard.name(), 0, length);
    ByteBuffer json =
        ByteBuffer.allocate(SafetensorsHeader.jsonBytes(length.flip(), shard.bytes()));
    reader.read(shard.name(), Long.BYTES, json);
    SafetensorsHeader header =
        SafetensorsHeader.parse(json.array(), shard.bytes() - Long.BYTES - json.capacity());
    if (header.entries().size() != shard.slices().size()) {
      throw new CorruptCheckpoint(
          "%s has %d tensors, the manifest says %d."
              .formatted(shard.name(), header.entries().size(), shard.slices().size()));
    }
  }

  /** Writes a version as one plain safetensors file, whatever it was cut into. */
  public Restored export(Version version, Path file) throws IOException {
    return export(version, file, tensor -> true);
  }

  /** Writes some tensors of a version as one plain safetensors file. */
  public Restored export(Version version, Path file, Predicate<TensorSpec> wanted)
      throws IOException {
    List<String> problems = new ArrayList<>();
    Restored restored = export(version, file, wanted, problems);
    if (restored == null) {
      throw new IOException(
          "%s cannot be exported: %s"
              .formatted(
                  version, problems.isEmpty() ? "no tier has it" : String.join("; ", problems)));
    }
    return restored;
  }

  private @Nullable Restored export(
      Version version, Path file, Predicate<TensorSpec> wanted, List<String> problems)
      throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new BadInput(
          "There is no folder for %s.".formatted(file), "Maybe create it, or name another file.");
    }
    for (Tier tier : tiers) {
      try (CheckpointReader reader = tier.read(version);
          Crew crew = new Crew("deepvm-checkpoint-export", threads)) {
        PlainFile.write(reader, part, wanted, crew);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        return new Restored(reader.manifest(), tier.name(), problems);
      } catch (NoSuchFileException e) {
        // not every tier has every version
      } catch (IOException e) {
        problems.add("%s: %s: %s".formatted(tier.name(), version, e.getMessage()));
      } finally {
        Files.deleteIfExists(part);
      }
    }
    return null;
  }

  /** What cleaning up has done. */
  public record Cleaned(List<String> deleted, List<String> inUse) {

    public Cleaned {
      deleted = List.copyOf(deleted);
      inUse = List.copyOf(inUse);
    }
  }

  /** Deletes what crashes have left over: versions without a manifest that nobody is writing. */
  public Cleaned gc(String job) throws IOException {
    List<String> deleted = new ArrayList<>();
    List<String> inUse = new ArrayList<>();
    for (Tier tier : tiers) {
      Cleaned cleaned = gc(tier, job, version -> true, tier::delete);
      deleted.addAll(cleaned.deleted);
      inUse.addAll(cleaned.inUse);
    }
    return new Cleaned(deleted, inUse);
  }

  /** Deletes from a tier for a session what is left over of its generation and older ones. */
  static void gc(Tier tier, String job, Claim claim) throws IOException {
    gc(
        tier,
        job,
        version -> version.generation() <= claim.generation(),
        version -> tier.delete(version, claim));
  }

  private interface Deletion {
    boolean of(Version version) throws IOException;
  }

  private static Cleaned gc(Tier tier, String job, Predicate<Version> mayGo, Deletion deletion)
      throws IOException {
    List<String> deleted = new ArrayList<>();
    List<String> inUse = new ArrayList<>();
    for (Holding holding : tier.list(job)) {
      if (holding.condition() == Holding.Condition.UNCOMMITTED && mayGo.test(holding.version())) {
        String what = "%s: %s".formatted(tier.name(), holding.version());
        (deletion.of(holding.version()) ? deleted : inUse).add(what);
      }
    }
    return new Cleaned(deleted, inUse);
  }

  /** Deletes from every tier the versions that a rule does not keep, and returns them. */
  public List<Version> retain(String job, Retention retention) throws IOException {
    List<Version> deleted = new ArrayList<>();
    for (Tier tier : tiers) {
      deleted.addAll(new Retainer(tier, job, retention).retain());
    }
    return deleted;
  }
}
