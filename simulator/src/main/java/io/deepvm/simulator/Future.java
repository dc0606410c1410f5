package io.deepvm.simulator;

import io.deepvm.base.BadInput;
import io.deepvm.market.BlockBootstrap;
import io.deepvm.market.SplitRecord;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.market.survival.CapacityModel;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** One course the market may take, from one of its ticks on. */
public record Future(SpotMarket market, int firstTick) {

  /** Returns the length of the record from the first tick on: a run ends there at the latest. */
  public double aheadSeconds() {
    return (market.ticks() - firstTick) * market.tickSeconds();
  }

  /** A supply of courses of equal length, each the same whenever it is asked for. */
  public interface Source {

    /** Returns the course of a run; the seed is the run's own. */
    Future of(int run, long seed);

    /**
     * Returns the number of kinds of courses: run n is of the kind n modulo this number. Courses of
     * several kinds differ in what is not known, so that their difference is no luck of a run.
     */
    default int kinds() {
      return 1;
    }

    /**
     * Returns every n-th of the courses, so that fewer runs are spread over all; n is lowered until
     * all kinds are among them.
     */
    default Source every(int n) {
      int step = n;
      while (BigInteger.valueOf(step).gcd(BigInteger.valueOf(kinds())).intValue() > 1) {
        step--;
      }
      int chosen = step;
      return (run, seed) -> of(run * chosen, seed);
    }

    /** Returns the same courses with losses that no notice precedes, by the pool's cloud. */
    default Source losing(Function<String, UnannouncedLosses> byCloud) {
      return new OfKinds(
          kinds(),
          (run, seed) -> {
            Future course = of(run, seed);
            return new Future(course.market().losing(byCloud), course.firstTick());
          });
    }

    /**
     * Returns the same courses, in which several nodes live in each pool that was recorded with
     * one.
     */
    default Source split(SplitRecord record) {
      return new OfKinds(
          kinds(),
          (run, seed) -> {
            Future course = of(run, seed);
            int first = course.firstTick();
            SpotMarket piece = course.market().window(first, course.market().ticks() - first);
            return new Future(record.split(piece, Experiment.seedOf(seed, NODES)), 0);
          });
    }
  }

  private record OfKinds(int kinds, Source source) implements Source {

    @Override
    public Future of(int run, long seed) {
      return source.of(run, seed);
    }
  }

  /** What is drawn as one block: long enough for outages to stay whole. */
  public static final double BLOCK_SECONDS = 12 * 3600;

  /** Keeps the seed of nodes' courses apart from those of runs and pools, which are small. */
  private static final int NODES = -18;

  /**
   * The most ticks that {@link #goingOn} draws, so that a long record of many pools fits memory.
   */
  private static final int MOST_TICKS = 1_000_000;

  /**
   * Returns the courses of a source that do not end early: after a course that is used up, the
   * source's further courses follow until the time ahead is covered. A source of starts repeats its
   * record.
   */
  public static Source goingOn(Source source, double aheadSeconds) {
    return (run, seed) -> {
      Future first = source.of(run, seed);
      SpotMarket market = first.market();
      long wanted =
          Math.min(
              MOST_TICKS,
              first.firstTick() + (long) Math.ceil(aheadSeconds / market.tickSeconds()));
      List<SpotMarket> more = new ArrayList<>();
      long ticks = market.ticks();
      while (ticks < wanted) {
        SpotMarket next = source.of(run, Experiment.seedOf(seed, more.size() + 1)).market();
        more.add(next);
        ticks += next.ticks();
      }
      return new Future(market.then(more), first.firstTick());
    };
  }

  /** Whether a record is long enough for runs of this length to begin at many of its ticks. */
  public static boolean isLong(SpotMarket record, double aheadSeconds) {
    return record.ticks() * record.tickSeconds() >= 2 * aheadSeconds;
  }

  /**
   * Returns runs that begin at starts spread evenly over a market's record. Each has the same
   * number of seconds ahead of it, also where the record goes on.
   */
  public static Source starts(SpotMarket market, int runs, double aheadSeconds) {
    int ahead = (int) Math.ceil(aheadSeconds / market.tickSeconds());
    int last = market.ticks() - ahead;
    if (last < 0) {
      throw new BadInput(
          "The market's record is %.1f h long, and a run may need %.1f h."
              .formatted(market.ticks() * market.tickSeconds() / 3600, aheadSeconds / 3600),
          "Maybe take a longer record, or let runs be drawn from it by --draw bootstrap.");
    }
    return (run, seed) -> {
      int first = runs == 1 ? 0 : (int) Math.round((double) last * run / (runs - 1));
      return new Future(market.window(first, ahead), 0);
    };
  }

  /** Returns runs through blocks of a market's record, drawn anew for each run. */
  public static Source blocks(SpotMarket market, double blockSeconds, double aheadSeconds) {
    int block = (int) Math.max(1, Math.round(blockSeconds / market.tickSeconds()));
    BlockBootstrap bootstrap = new BlockBootstrap(market, Math.min(block, market.ticks()));
    int ahead = (int) Math.ceil(aheadSeconds / market.tickSeconds());
    return (run, seed) -> new Future(bootstrap.draw(seed, ahead), 0);
  }

  /**
   * Returns runs through capacity drawn from a model of each pool, independently of the others.
   *
   * @param alternatives lists of models that may each be right, one model a pool; runs take them by
   *     turns
   */
  public static Source drawn(List<List<CapacityModel>> alternatives, double aheadSeconds) {
    int ahead = (int) Math.ceil(aheadSeconds / alternatives.get(0).get(0).like().tickSeconds());
    return new OfKinds(
        alternatives.size(),
        (run, seed) -> {
          List<CapacityModel> models = alternatives.get(run % alternatives.size());
          List<Trace> traces = new ArrayList<>();
          for (int p = 0; p < models.size(); p++) {
            traces.add(models.get(p).draw(Experiment.seedOf(seed, p), ahead));
          }
          return new Future(SpotMarket.of(traces), 0);
        });
  }
}
