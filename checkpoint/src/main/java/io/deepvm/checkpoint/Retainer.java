package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Deletes from a tier the versions of a job that a rule does not keep. Before it does, one of those
 * kept is read back and compared with its checksums, unless one was before: newer versions that
 * turn out to be damaged never push out the last sound one.
 */
public final class Retainer {

  private static final System.Logger LOG = System.getLogger(Retainer.class.getName());

  private final Tier tier;
  private final String job;
  private final Retention rule;

  /** The newest version that was read back. */
  private @Nullable Version sound;

  private final Set<Version> damaged = new HashSet<>();

  /** Deletes nothing yet. */
  public Retainer(Tier tier, String job, Retention rule) {
    this.tier = tier;
    this.job = job;
    this.rule = rule;
  }

  /**
   * Deletes for a session what need not be kept and may go, and returns it.
   *
   * @throws io.deepvm.checkpoint.tier.StaleGeneration when the session is not the newest any more
   */
  public List<Version> retain(Claim claim, Predicate<Version> mayGo) throws IOException {
    return retain(mayGo, version -> tier.delete(version, claim));
  }

  /** Deletes by order of a user what need not be kept, and returns it. */
  public List<Version> retain() throws IOException {
    return retain(version -> true, tier::delete);
  }

  private interface Deletion {
    boolean of(Version version) throws IOException;
  }

  private List<Version> retain(Predicate<Version> mayGo, Deletion deletion) throws IOException {
    List<Version> deleted = new ArrayList<>();
    for (Version version : spare(mayGo)) {
      if (deletion.of(version)) {
        deleted.add(version);
      }
    }
    return deleted;
  }

  /** Returns what may be deleted, one of the others being sound. */
  private List<Version> spare(Predicate<Version> mayGo) throws IOException {
    List<Version> restorable =
        new ArrayList<>(
            tier.list(job).stream().filter(Holding::complete).map(Holding::version).toList());
    damaged.retainAll(restorable);
    restorable.removeAll(damaged);
    while (true) {
      List<Version> spare = rule.spare(restorable).stream().filter(mayGo).toList();
      if (spare.isEmpty() || tier.checksOnArrival()) {
        return spare;
      }
      List<Version> kept = new ArrayList<>(restorable);
      kept.removeAll(spare);
      Version newest = kept.stream().max(Comparator.naturalOrder()).orElse(null);
      if (newest == null || kept.contains(sound) || isSound(newest)) {
        return newest == null ? List.of() : spare;
      }
      restorable.remove(newest);
    }
  }

  private boolean isSound(Version version) throws IOException {
    try (CheckpointReader reader = tier.read(version);
        Crew crew = new Crew("deepvm-checkpoint-verify", 1)) {
      Restore.verify(reader, crew);
      sound = version;
      return true;
    } catch (NoSuchFileException e) {
      // deleted by another process since it was listed
      return false;
    } catch (CorruptCheckpoint e) {
      damaged.add(version);
      LOG.log(
          System.Logger.Level.WARNING,
          "{0}: {1} is damaged, so older versions stay: {2}",
          tier.name(),
          version,
          e.getMessage());
      return false;
    }
  }
}
