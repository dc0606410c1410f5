package io.deepvm.checkpoint.tier;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Claim;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a tier knows of the newest generation of a job.
 *
 * @param generation -1 when there is none
 * @param owner null when it is not known
 * @param vacant whether the record of the owner is lost, so that the owner may claim it again
 */
public record Fence(long generation, @Nullable UUID owner, boolean vacant) {

  /** Numbers up to here are as good as any: the milliseconds of a clock stay below until 2286. */
  private static final long REACH = 10_000_000_000_000L;

  /** Beyond that nobody may jump farther at once, or one claim would use up all numbers. */
  private static final long JUMP = 1_000_000;

  /** Of a job that nobody has claimed. */
  public static final Fence NONE = vacant(-1);

  /** Returns the fence that a claim makes. */
  public static Fence of(Claim claim) {
    return new Fence(claim.generation(), claim.owner(), false);
  }

  /**
   * Returns the fence of an earlier release, which wrote no owners: nobody can claim its number.
   */
  public static Fence unowned(long generation) {
    return new Fence(generation, null, false);
  }

  /** Returns the fence of a job that has only versions of this generation. */
  public static Fence vacant(long generation) {
    return new Fence(generation, null, true);
  }

  /** Returns whether this is the claim's own. */
  public boolean isHeldBy(Claim claim) {
    return generation == claim.generation() && claim.owner().equals(owner);
  }

  /** Throws unless the claim is the newest, or may become so. */
  public void check(String job, Claim claim) throws StaleGeneration {
    if (claim.generation() > Math.max(REACH, generation + JUMP)) {
      throw new BadInput(
          "Generation %d of %s is too far ahead of the newest, %d."
              .formatted(claim.generation(), job, Math.max(0, generation)),
          "Maybe take the next one after the newest.");
    }
    boolean newer = generation > claim.generation();
    boolean taken = generation == claim.generation() && !vacant && !isHeldBy(claim);
    if (newer || taken) {
      throw new StaleGeneration(job, claim.generation(), generation);
    }
  }
}
