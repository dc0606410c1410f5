package io.deepvm.workload;

import io.deepvm.base.BadInput;
import io.deepvm.workload.parallel.ClusterModel;
import io.deepvm.workload.parallel.Split;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How a job's speed grows with the number of identical nodes. */
public sealed interface ScalingCurve {

  /**
   * How many times faster n nodes are than one whose exchanges are free; 1 for one node that
   * exchanges nothing, 0 where the model does not fit.
   */
  double speedup(int nodes);

  /**
   * The share of ideal scaling that is left, as DeepVM's K: the paper multiplies it with the number
   * of nodes.
   */
  default double factor(int nodes) {
    return speedup(nodes) / nodes;
  }

  /** One line that says what curve this is. */
  String describe();

  /**
   * DeepVM's fitted curve: logistic after its inflection b, the tangent before it. The fit is poor
   * at one node and may be negative below b - 2/a, so the speed-up is pinned to 1 there and never
   * below 0.
   */
  record Logistic(double a, double b, double c) implements ScalingCurve {

    public Logistic {
      if (!(a > 0 && c > 0 && Double.isFinite(a) && Double.isFinite(b) && Double.isFinite(c))) {
        throw new BadInput(
            "The scaling curve (a=%s, b=%s, c=%s) does not grow.".formatted(a, b, c),
            "Maybe a and c have the wrong sign: both must be above 0.");
      }
    }

    @Override
    public double speedup(int nodes) {
      return nodes == 1 ? 1 : Math.max(0, estimate(nodes));
    }

    /** The fit itself, unpinned: the tangent up to the inflection, the logistic beyond. */
    public double estimate(int nodes) {
      return nodes <= b ? tangent(nodes) : logistic(nodes);
    }

    @Override
    public double factor(int nodes) {
      double x = a * (nodes - b);
      // logistic / tangent; c cancels, and nothing overflows or divides by zero for x > 0
      return x <= 0 ? 1 : 4 / ((x + 2) * (1 + Math.exp(-x)));
    }

    /** The logistic S(n). */
    public double logistic(int nodes) {
      return c / (1 + Math.exp(-a * (nodes - b)));
    }

    /** The tangent L(n) at the inflection. */
    public double tangent(int nodes) {
      return c * a / 4 * (nodes - b) + c / 2;
    }

    @Override
    public String describe() {
      return "measured, logistic a=%.4g b=%.4g c=%.4g".formatted(a, b, c);
    }
  }

  /** Amdahl's law: a share of each step that more nodes do not shorten. */
  record Amdahl(double serialShare) implements ScalingCurve {

    public Amdahl {
      if (!(serialShare >= 0 && serialShare <= 1)) {
        throw new BadInput(
            "The serial share %s is not between 0 and 1.".formatted(serialShare),
            "Maybe write 0.02 for 2 %.");
      }
    }

    @Override
    public double speedup(int nodes) {
      return nodes / (1 + serialShare * (nodes - 1));
    }

    @Override
    public String describe() {
      return "assumed, Amdahl with a serial share of %.3g %%".formatted(serialShare * 100);
    }
  }

  /**
   * What follows from the model, the GPUs and the network.
   *
   * @param one samples per second of the node to which speed-ups refer
   * @param networkAssumed whether the network of the nodes is not known
   * @param measured decides the speed where it is given, and the model only what fits; else null
   */
  record Exchanging(
      ClusterModel model, double one, boolean networkAssumed, @Nullable ScalingCurve measured)
      implements ScalingCurve {

    @Override
    public double speedup(int nodes) {
      Split split = model.best(nodes);
      if (split == null) {
        return 0;
      }
      return measured == null ? split.samplesPerSecond() / one : measured.speedup(nodes);
    }

    /** Returns the speed-up, however the model is split, as the measurement had it. */
    @Override
    public double factor(int nodes) {
      return measured != null && model.best(nodes) != null
          ? measured.factor(nodes)
          : speedup(nodes) / nodes;
    }

    @Override
    public String describe() {
      return measured == null
          ? "computed from the exchange of gradients%s"
              .formatted(networkAssumed ? " over an assumed network of 10 Gbps" : "")
          : measured.describe();
    }
  }

  /** Measured speed-ups, joined by straight lines and flat beyond the largest measurement. */
  record Measured(NavigableMap<Integer, Double> speedups) implements ScalingCurve {

    public Measured {
      speedups = new TreeMap<>(speedups);
      for (Map.Entry<Integer, Double> point : speedups.entrySet()) {
        if (point.getKey() < 1 || !(point.getValue() > 0) || point.getValue().isInfinite()) {
          throw new BadInput(
              "%s nodes cannot be %s times as fast as one."
                  .formatted(point.getKey(), point.getValue()),
              "Maybe nodes and speed-ups are swapped: write nodes: speed-up, both above 0.");
        }
      }
      if (speedups.computeIfAbsent(1, n -> 1.0) != 1.0) {
        throw new BadInput(
            "One node is %s times as fast as one node.".formatted(speedups.get(1)),
            "Maybe divide all speed-ups by the first.");
      }
    }

    @Override
    public double speedup(int nodes) {
      Map.Entry<Integer, Double> below = speedups.floorEntry(nodes);
      Map.Entry<Integer, Double> above = speedups.ceilingEntry(nodes);
      if (above == null || below.getKey().equals(above.getKey())) {
        return below.getValue();
      }
      double along = (nodes - below.getKey()) / (double) (above.getKey() - below.getKey());
      return below.getValue() + along * (above.getValue() - below.getValue());
    }

    @Override
    public String describe() {
      return "measured at %s nodes".formatted(speedups.keySet());
    }
  }
}
