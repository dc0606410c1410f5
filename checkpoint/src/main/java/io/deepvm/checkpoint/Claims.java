package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which generation of a job comes next, and claims it. Each number has places that decide
 * on it. A number that is counted up needs a majority in each tier that keeps checkpoints longest,
 * as any two majorities share a place. A session that reaches fewer takes a number whose last
 * digits name one place that it reached. So sessions that share no place differ in their numbers.
 */
public final class Claims {

  private static final System.Logger LOG = System.getLogger(Claims.class.getName());

  /** How often another session may be quicker, each time with a number of its own. */
  private static final int ATTEMPTS = 100;

  /** No job counts up to here; the milliseconds since 1970 have been above since 2001. */
  private static final long NAMED = 1_000_000_000_000L;

  /** From there on, the last three digits name the place that decides; 0 stands for a majority. */
  private static final long DIGITS = 1_000;

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
   * Who wants to begin a generation.
   *
   * @param owner the id of the session, or of the client whose sessions follow each other
   * @param known the newest generation that the caller knows of
   * @param after the generation that the owner goes on from; a newer one of another owner ends it.
   *     Null for an owner that takes over from all others.
   */
  public record Request(String job, UUID owner, long known, @Nullable Long after) {

    /** Returns the request of a session that takes over from all others. */
    public static Request of(String job, UUID owner) {
      return new Request(job, owner, 0, null);
    }
  }

  /**
   * What was claimed for a job before.
   *
   * @param newest the newest generation found
   * @param certain whether everyone answered, so that there is no newer one
   */
  private record Found(long newest, boolean certain) {}

  /**
   * Where a claim was taken down.
   *
   * @param majority whether most places of each tier that keeps checkpoints longest have it
   * @param places the places in those tiers that have it, counted over all of these tiers
   */
  private record Count(boolean majority, SortedSet<Integer> places) {}

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
   * Claims a generation newer than any other, in all tiers that answer. A tier that does not answer
   * may have a newer claim than is found. Then the number is at least the milliseconds since 1970,
   * which no job reaches by counting.
   *
   * @throws StaleGeneration when the owner goes on, and another one has begun a newer generation
   */
  public Claim next(Request request) throws IOException {
    for (int attempt = 1; ; attempt++) {
      Found found = find(request.job);
      long newest = checkNewest(request, found);
      try {
        return claim(request, newest, found.certain);
      } catch (StaleGeneration e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Throws {@link StaleGeneration} when the owner goes on, and another one has begun a newer
   * generation.
   */
  public void checkNewest(Request request) throws IOException {
    var unused = checkNewest(request, find(request.job));
  }

  private long checkNewest(Request request, Found found) throws IOException {
    long newest = Math.max(request.known, found.newest);
    Long after = request.after;
    if (after != null && newest > after) {
      // the owner's own if an answer was lost: then claiming it again changes nothing
      var unused = claim(request.job, new Claim(newest, request.owner));
    }
    return newest;
  }

  private Claim claim(Request request, long newest, boolean certain) throws IOException {
    long last = newest;
    int place = 0;
    if (certain) {
      Claim claim = new Claim(counted(newest), request.owner);
      Count count = claim(request.job, claim);
      if (count.majority) {
        return claim;
      }
      last = claim.generation();
      place = count.places.first();
    }
    while (true) {
      Claim claim = new Claim(named(last, place), request.owner);
      Count count = claim(request.job, claim);
      if (count.places.contains(place)) {
        return claim;
      }
      last = claim.generation();
      place = count.places.first();
    }
  }

  private static boolean isMajority(int accepted, int places) {
    return 2 * accepted > places;
  }

  private static long counted(long newest) {
    return newest < NAMED ? newest + 1 : (newest / DIGITS + 1) * DIGITS;
  }

  private long named(long newest, int place) {
    long now = Math.max(NAMED, clock.instant().getEpochSecond() * DIGITS);
    return (Math.max(newest, now) / DIGITS + 1) * DIGITS + digits(place);
  }

  private static long digits(int place) {
    return 1 + place % (DIGITS - 1);
  }

  /**
   * Claims in all tiers that answer.
   *
   * @throws IOException when none of those that keep checkpoints longest does
   */
  private Count claim(String job, Claim claim) throws IOException {
    IOException problem = null;
    boolean majority = true;
    int first = 0;
    SortedSet<Integer> places = new TreeSet<>();
    for (Tier tier : tiers) {
      boolean decides = tier.level() == longest;
      int accepted = 0;
      try {
        for (int place : tier.claimAtEach(job, claim)) {
          accepted++;
          if (decides) {
            places.add(first + place);
          }
        }
      } catch (StaleGeneration e) {
        throw e;
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", tier.name(), e.toString());
        problem = decides ? e : problem;
      }
      if (decides) {
        majority &= isMajority(accepted, tier.places());
        first += tier.places();
      }
    }
    if (places.isEmpty()) {
      throw problem != null
          ? problem
          : new IOException("No place answers that could give %s a generation.".formatted(job));
    }
    return new Count(majority, places);
  }
}
