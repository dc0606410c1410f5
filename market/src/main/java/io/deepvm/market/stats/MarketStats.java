package io.deepvm.market.stats;

import io.deepvm.base.Quantiles;
import io.deepvm.market.Alignment;
import io.deepvm.market.Pool;
import io.deepvm.market.PriceCourse;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What several pools' traces say together.
 *
 * @param together null where they share no time, or no count is known
 */
public record MarketStats(List<PoolStats> pools, @Nullable Together together) {

  /**
   * What holds in the ticks that all pools share.
   *
   * @param fullShare of all pools' ticks, those with all nodes
   * @param anyUpShare of the ticks, those in which some pool has a node
   * @param fewest nodes in all pools together
   * @param correlation of the counts of every two pools; NaN where one never changes
   */
  public record Together(
      double tickSeconds,
      int ticks,
      double fullShare,
      double partialShare,
      double noneShare,
      double anyUpShare,
      double fewest,
      double fifthPercentile,
      double median,
      double most,
      double[][] correlation) {

    /** Returns the mean correlation of two pools. */
    public double meanCorrelation() {
      return pairs().average().orElse(Double.NaN);
    }

    /** Returns the highest correlation of two pools. */
    public double maxCorrelation() {
      return pairs().max().orElse(Double.NaN);
    }

    private DoubleStream pairs() {
      return IntStream.range(0, correlation.length)
          .boxed()
          .flatMapToDouble(i -> Arrays.stream(correlation[i], 0, i))
          .filter(r -> !Double.isNaN(r));
    }
  }

  /** Describes a recording: prices as they were recorded, all else by the ticks of its traces. */
  public static MarketStats of(Recording recording) {
    return of(recording.traces(), recording.prices());
  }

  /** Describes traces by their ticks. */
  public static MarketStats of(List<Trace> traces) {
    return of(traces, traces.stream().map(PriceCourse::of).toList());
  }

  private static MarketStats of(List<Trace> traces, List<PriceCourse> prices) {
    Map<Pool, PriceCourse> byPool = new HashMap<>();
    prices.forEach(course -> byPool.put(course.pool(), course));
    boolean comparable =
        traces.stream().allMatch(trace -> trace.gaps() < trace.length())
            && Alignment.overlap(traces);
    return new MarketStats(
        traces.stream()
            .map(
                trace ->
                    PoolStats.of(trace, byPool.getOrDefault(trace.pool(), PriceCourse.of(trace))))
            .toList(),
        comparable ? together(Alignment.onOneClock(traces, null)) : null);
  }

  private static @Nullable Together together(List<Trace> traces) {
    int[][] counts =
        IntStream.range(0, traces.get(0).length())
            .mapToObj(t -> traces.stream().mapToInt(trace -> trace.available()[t]).toArray())
            .filter(column -> Arrays.stream(column).noneMatch(count -> count == Trace.UNKNOWN))
            .toArray(int[][]::new);
    if (counts.length == 0) {
      return null;
    }
    long full = 0;
    long none = 0;
    for (int[] column : counts) {
      for (int p = 0; p < column.length; p++) {
        full += column[p] == traces.get(p).asked() ? 1 : 0;
        none += column[p] == 0 ? 1 : 0;
      }
    }
    double cells = (double) counts.length * traces.size();
    Quantiles sums =
        new Quantiles(Arrays.stream(counts).mapToDouble(c -> Arrays.stream(c).sum()).toArray());
    return new Together(
        traces.get(0).tickSeconds(),
        counts.length,
        full / cells,
        1 - (full + none) / cells,
        none / cells,
        sums.shareAbove(0),
        sums.at(0),
        sums.at(0.05),
        sums.median(),
        sums.at(1),
        correlation(counts));
  }

  private static double[][] correlation(int[][] counts) {
    int pools = counts[0].length;
    double[][] centred = new double[pools][counts.length];
    double[] size = new double[pools];
    for (int p = 0; p < pools; p++) {
      int pool = p;
      double mean = Arrays.stream(counts).mapToInt(c -> c[pool]).average().orElseThrow();
      for (int t = 0; t < counts.length; t++) {
        centred[p][t] = counts[t][p] - mean;
        size[p] += centred[p][t] * centred[p][t];
      }
    }
    double[][] correlation = new double[pools][pools];
    for (int a = 0; a < pools; a++) {
      for (int b = 0; b <= a; b++) {
        double product = 0;
        for (int t = 0; t < counts.length; t++) {
          product += centred[a][t] * centred[b][t];
        }
        double scale = Math.sqrt(size[a] * size[b]);
        correlation[a][b] = scale == 0 ? Double.NaN : product / scale;
        correlation[b][a] = correlation[a][b];
      }
    }
    return correlation;
  }
}
