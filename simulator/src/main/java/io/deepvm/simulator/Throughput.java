package io.deepvm.simulator;

/** How fast the current members train, in units of work. */
public interface Throughput {

  /** Returns the speed of this many members of each pool; 0 when they are too few. */
  double unitsPerSecond(int[] members);

  /** Returns what the members' exchange between places costs per hour of training. */
  default double trafficUsdPerHour(int[] members) {
    return 0;
  }

  /** Speeds by the number of members wherever they are; more members than stated add nothing. */
  record ByCount(double[] speeds) implements Throughput {

    @Override
    public double unitsPerSecond(int[] members) {
      int n = 0;
      for (int m : members) {
        n += m;
      }
      return n == 0 ? 0 : speeds[Math.min(n, speeds.length) - 1];
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
