package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** Finds out which generation of a job comes next, and claims it. */
public final class Claims {

  private static final System.Logger LOG = System.getLogger(Claims.class.getName());

  /** How often another session may be quicker, each time with a number of its own. */
  private static final int ATTEMPTS = 100;

  private final List<Tier> tiers;
  private final Level longest;
  private final InstantSource clock;

  /** Claims in these tiers. */
  public Claims(List<Tier> tiers, InstantSource clock) {
    this.tiers = List.copyOf(tiers);
    this.longest = tiers.stream().map(Tier::level).max(Comparator.naturalOrder()).orElseThrow();
    this.clock = clock;
  }

  /**
   * What was claimed for a job before.
   *
   * @param newest the newest generation found
   * @param certain whether everyone answered, so that there is no newer one
   */
  private record Found(long newest, boolean certain) {}

  private Found find(String job) throws IOException {
    long newest = 0;
    boolean lasting = false;
    boolean certain = true;
    IOException problem = null;
    for (Tier tier : tiers) {
      try {
        newest = Math.max(newest, tier.generation(job));
        lasting |= tier.level() == longest;
        certain &= tier.unreachable().isEmpty();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", tier.name(), e.toString());
        certain = false;
        problem = tier.level() == longest ? e : problem;
      }
    }
    if (!lasting && problem != null) {
      throw problem;
    }
    return new Found(newest, certain);
  }

  /**
   * Returns the newest generation that was claimed for a job, zero when none was. A tier that does
   * not answer is passed over, unless it is the last of those that keep checkpoints longest: what
   * is claimed nowhere else must be there.
   */
  public long newest(String job) throws IOException {
    return find(job).newest;
  }

  /**
   * Claims a generation newer than any other, in all tiers that keep checkpoints longest and
   * answer. While a tier does not answer, a newer one than is found may be claimed there: then the
   * number is at least the milliseconds since 1970, which no job reaches by counting, and whose
   * last three digits are the owner's, so that two sessions that reach different tiers differ.
   */
  public Claim next(String job, UUID owner) throws IOException {
    for (int attempt = 1; ; attempt++) {
      Found found = find(job);
      long jump = clock.instant().getEpochSecond() * 1_000;
      long own = Math.floorMod(owner.getLeastSignificantBits(), 1_000);
      long next = found.newest + 1;
      Claim claim = new Claim(found.certain ? next : Math.max(next, jump + own), owner);
      try {
        claim(job, claim);
        return claim;
      } catch (StaleGeneration e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Claims in all tiers that keep checkpoints longest and answer.
   *
   * @throws IOException when none of them answers
   */
  public void claim(String job, Claim claim) throws IOException {
    IOException problem = null;
    boolean claimed = false;
    for (Tier tier : tiers) {
      if (tier.level() == longest) {
        try {
          tier.claim(job, claim);
          claimed = true;
        } catch (StaleGeneration e) {
          throw e;
        } catch (IOException e) {
          LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", tier.name(), e.toString());
          problem = e;
        }
      }
    }
    if (!claimed && problem != null) {
      throw problem;
    }
  }
}
