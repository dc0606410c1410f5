package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Restores all that is listed, place by place, and counts what should not be. The trainer stands
 * still meanwhile, or is dead; the anchors serve, so a version may be deleted while it is read:
 * that is no fault as long as it is listed no more afterwards.
 */
final class Judge {

  private static final int ATTEMPTS = 3;

  /** How often the judge looks for a version that should be there. */
  private static final int LOOKS = 20;

  private final List<Tier> tiers;
  private final Tier archive;
  private final Witness witness;
  private final Consumer<String> out;

  /** What the archive has been seen to restore; nothing there changes any more. */
  private final Set<Version> proven = new HashSet<>();

  /** Versions of which a copy was damaged: they may be lost with the other one. */
  private final Set<Version> spoiled = new HashSet<>();

  /** How often a version that had to be there was there. */
  private int safe;

  private int restored;
  private int lost;
  private int torn;
  private int stopped;

  /** Judges these tiers, each by itself, by what the witness has heard. */
  Judge(List<Tier> tiers, Tier archive, Witness witness, Consumer<String> out) {
    this.witness = witness;
    this.tiers = tiers;
    this.archive = archive;
    this.out = out;
  }

  /** Notes that one copy of a version is not what it was. */
  void spoil(Version version) {
    spoiled.add(version);
  }

  void stopped(String how) {
    stopped++;
    out.accept("  STOPPED: " + how);
  }

  void lost(String how) {
    lost++;
    out.accept("  LOST: " + how);
  }

  void torn(String how) {
    torn++;
    out.accept("  TORN: " + how);
  }

  /** Checks that all that is listed can be restored, and something as new as what was durable. */
  void check() throws IOException {
    witness.tell(this);
    Version durable = witness.durable();
    Version newest = null;
    Set<Version> there = new HashSet<>();
    for (Tier tier : tiers) {
      for (Version version : listed(tier)) {
        there.add(version);
        witness.see(version);
        newest = newest == null || newest.compareTo(version) < 0 ? version : newest;
        check(tier, version);
      }
    }
    if (durable.step() > 0 && (newest == null || newest.compareTo(durable) < 0)) {
      lost("%s was durable, the newest is %s".formatted(durable, newest));
    }
    checkSafe(there);
    for (Version version : listed(archive)) {
      if (!proven.contains(version) && check(archive, version)) {
        proven.add(version);
      }
    }
  }

  /** Checks that all that was reported durable is there until retention may have deleted it. */
  private void checkSafe(Set<Version> there) {
    if (tiers.stream().mapToInt(tier -> tier.unreachable().size()).max().orElse(0) > 1) {
      // with both anchors dead, only what came since into the reserve can be there
      return;
    }
    for (Version version : witness.mustBeThere(Retention.DEFAULT.last())) {
      safe += there.contains(version) ? 1 : 0;
      if (!there.contains(version) && !spoiled.contains(version) && isMissing(version)) {
        lost("%s was durable, and only %s are there".formatted(version, there));
      }
    }
  }

  /** Looks again: newer ones may have come since, of which a trainer's word is still on its way. */
  private boolean isMissing(Version version) {
    for (int attempt = 0; attempt < LOOKS; attempt++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      boolean listed = false;
      for (Tier tier : tiers) {
        for (Version other : listed(tier)) {
          witness.see(other);
          listed |= other.equals(version);
        }
      }
      if (listed || !witness.mustBeThere(Retention.DEFAULT.last()).contains(version)) {
        return false;
      }
    }
    return true;
  }

  private static List<Version> listed(Tier tier) {
    return new Checkpoints(List.of(tier), 1)
        .list(Model.JOB).checkpoints().stream().map(Checkpoints.Listed::version).toList();
  }

  /** Restores a version and returns whether it is its step's state. */
  private boolean check(Tier tier, Version version) {
    IOException problem = new IOException();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      List<Slice> tensors = Model.zeros();
      try {
        new Checkpoints(List.of(tier), 1).restore(version, manifest -> tensors);
        Long salt = witness.salt(version.generation());
        if (salt != null && Model.isStep(tensors, version.step(), salt)) {
          restored++;
          return true;
        }
        torn("%s: %s is something else".formatted(tier.name(), version));
        return false;
      } catch (IOException e) {
        problem = e;
        if (!listed(tier).contains(version)) {
          return false;
        }
      }
    }
    if (!spoiled.contains(version)) {
      torn("%s: %s".formatted(tier.name(), problem.getMessage()));
    }
    return false;
  }

  /** Returns the newest version of the archive; null when it has none. */
  long archived() {
    return listed(archive).stream().mapToLong(Version::step).max().orElse(0);
  }

  /** Returns how often a version that had to be there was looked for and found. */
  int safe() {
    return safe;
  }

  Chaos.Count count(int kills) {
    return new Chaos.Count(kills, restored, lost, torn, stopped);
  }
}
