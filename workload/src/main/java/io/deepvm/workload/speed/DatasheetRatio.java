package io.deepvm.workload.speed;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The ratio of two devices' speeds by their datasheets alone: peak and bandwidth to fitted powers.
 *
 * @param powers by kind of pair, of peak FLOPS and of memory bandwidth
 */
record DatasheetRatio(Map<DatasheetRatio.Kind, double[]> powers) {

  /** Pairs of devices that follow their datasheets alike. */
  enum Kind {
    /** Ordinary cores on both sides, where compute counts. */
    PLAIN(0.6, 0.4, 2),
    /** Tensor cores, where memory counts. */
    TENSOR(0.25, 0.75, 0.2),
    /** Tensor cores on long sequences, whose large products of matrices keep them busy. */
    SEQUENCE(0.5, 0.5, 0.2),
    /** Another width of the inputs. */
    CHANGED(0.4, 0.6, 0.2);

    private final double peak;
    private final double bandwidth;
    private final double pull;

    /** Takes powers, and how many sources of evidence it takes to move them half-way. */
    Kind(double peak, double bandwidth, double pull) {
      this.peak = peak;
      this.bandwidth = bandwidth;
      this.pull = pull;
    }

    boolean isChanged() {
      return this == CHANGED;
    }

    static Kind of(Device from, Device to, boolean sequence) {
      if (from.bits() != to.bits()) {
        return CHANGED;
      }
      return from.isPlain() && to.isPlain() ? PLAIN : sequence ? SEQUENCE : TENSOR;
    }
  }

  /** Returns the logarithm of the ratio of speeds. */
  double log(Device from, Device to, boolean sequence) {
    double[] power = Objects.requireNonNull(powers.get(Kind.of(from, to, sequence)));
    return power[0] * (to.logPeak() - from.logPeak())
        + power[1] * (to.logBandwidth() - from.logBandwidth());
  }

  /** Least squares in which every source counts alike, drawn a little towards what is usual. */
  static final class Fit {

    private static final double MOST = 3;

    private record Row(String source, double peak, double bandwidth, double log) {}

    private final Map<Kind, List<Row>> rows = new EnumMap<>(Kind.class);

    void add(String source, Device from, Device to, boolean sequence, double log) {
      rows.computeIfAbsent(Kind.of(from, to, sequence), kind -> new ArrayList<>())
          .add(
              new Row(
                  source,
                  to.logPeak() - from.logPeak(),
                  to.logBandwidth() - from.logBandwidth(),
                  Math.max(-MOST, Math.min(MOST, log))));
    }

    DatasheetRatio solve() {
      Map<Kind, double[]> powers = new EnumMap<>(Kind.class);
      for (Kind kind : Kind.values()) {
        powers.put(kind, solve(kind, rows.getOrDefault(kind, List.of())));
      }
      return new DatasheetRatio(powers);
    }

    /**
     * Returns the powers of peak and bandwidth. Twice the peak and twice the bandwidth make twice
     * the speed, so the two add up to 1; across widths only the peak differs, and its power is
     * free.
     */
    private static double[] solve(Kind kind, List<Row> rows) {
      Map<String, Integer> counts = new HashMap<>();
      rows.forEach(row -> counts.merge(row.source, 1, Integer::sum));
      double square = kind.pull;
      double product = 0;
      for (Row row : rows) {
        double weight = 1.0 / counts.getOrDefault(row.source, 1);
        double lever = kind.isChanged() ? row.peak : row.peak - row.bandwidth;
        double rest = row.log - kind.peak * row.peak - kind.bandwidth * row.bandwidth;
        square += weight * lever * lever;
        product += weight * lever * rest;
      }
      double more = product / square;
      return new double[] {
        kind.peak + more, kind.isChanged() ? kind.bandwidth : kind.bandwidth - more
      };
    }
  }
}
