package io.deepvm.simulator.gang;

/** The zones in the order in which to try them: by a key, the lowest first, then by index. */
final class ZoneOrder {

  private final int[] order;
  private final double[] keys;

  ZoneOrder(int zones) {
    order = new int[zones];
    keys = new double[zones];
  }

  /** Sets the key of a zone; to be called for every zone before {@link #sort}. */
  void key(int zone, double key) {
    keys[zone] = key;
  }

  double key(int zone) {
    return keys[zone];
  }

  /** Sorts; zones with equal keys stay in the order of their indices. */
  void sort() {
    for (int i = 0; i < order.length; i++) {
      int at = i;
      while (at > 0 && keys[order[at - 1]] > keys[i]) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = i;
    }
  }

  int get(int rank) {
    return order[rank];
  }

  int size() {
    return order.length;
  }
}
