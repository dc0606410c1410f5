package io.deepvm.simulator;

/** How fast the current members train, in units of work. */
public interface Throughput {

  /** Returns the speed of this many members of each pool; 0 when they are too few. */
  double unitsPerSecond(int[] members);

  /** Returns what the members' exchange between places costs per hour of training. */
  default double trafficUsdPerHour(int[] members) {
    return 0;
  }

  /**
   * Speeds by the number of members wherever they are; more members than stated add nothing.
   *
   * @param usdPerHour what the exchange between places costs, by the number of members
   */
  record ByCount(double[] speeds, double[] usdPerHour) implements Throughput {

    /** Speeds of members whose exchange costs nothing. */
    public ByCount(double[] speeds) {
      this(speeds, new double[speeds.length]);
    }

    @Override
    public double unitsPerSecond(int[] members) {
      return of(speeds, members);
    }

    @Override
    public double trafficUsdPerHour(int[] members) {
      return of(usdPerHour, members);
    }

    private static double of(double[] byCount, int[] members) {
      int n = 0;
      for (int m : members) {
        n += m;
      }
      return n == 0 ? 0 : byCount[Math.min(n, byCount.length) - 1];
    }
  }

  /** All or nothing: the full speed once there are enough members in one pool, else none. */
  record Gang(int size, double speed) implements Throughput {

    @Override
    public double unitsPerSecond(int[] members) {
      for (int m : members) {
        if (m >= size) {
          return speed;
        }
      }
      return 0;
    }
  }
}
