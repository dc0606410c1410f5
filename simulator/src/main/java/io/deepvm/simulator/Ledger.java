package io.deepvm.simulator;

import io.deepvm.base.Money;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Every paid millisecond, twice: by what it was paid for, and by what the node did.
 *
 * <p>Amounts are integers, micro-dollars per hour times milliseconds, so that both ways of adding
 * them up give the same sum; whole micro-dollars are carried over to keep them small.
 */
// Plain arrays by ordinal: this is booked to several times an event, in millions of runs.
@SuppressWarnings("EnumOrdinal")
final class Ledger {

  private static final long MS_PER_HOUR = 3_600_000;
  private static final Charge[] CHARGES = Charge.values();
  private static final Activity[] ACTIVITIES = Activity.values();

  /** The charges for nodes come first. */
  private static final int NODE_CHARGES = Charge.TRAFFIC.ordinal();

  private final long[] billed = new long[CHARGES.length];
  private final long[] billedRest = new long[CHARGES.length];
  private final long[] used = new long[ACTIVITIES.length];
  private final long[] usedRest = new long[ACTIVITIES.length];
  private final long[] nodeMs = new long[ACTIVITIES.length];

  // What was useful when the state was taken that a loss would fall back to.
  private long usefulMark;
  private long usefulRestMark;
  private long usefulMsMark;

  /** Books this many nodes for this long at an hourly rate each. */
  void nodes(Charge charge, Activity activity, int count, long microsPerHour, long ms) {
    long amount = count * microsPerHour * ms;
    int c = charge.ordinal();
    long rest = billedRest[c] + amount;
    billed[c] += rest / MS_PER_HOUR;
    billedRest[c] = rest % MS_PER_HOUR;
    int a = activity.ordinal();
    rest = usedRest[a] + amount;
    used[a] += rest / MS_PER_HOUR;
    usedRest[a] = rest % MS_PER_HOUR;
    nodeMs[a] += count * ms;
  }

  /** Books something that is not a node, at an hourly rate. */
  void rate(Charge charge, long microsPerHour, long ms) {
    int c = charge.ordinal();
    long rest = billedRest[c] + microsPerHour * ms;
    billed[c] += rest / MS_PER_HOUR;
    billedRest[c] = rest % MS_PER_HOUR;
  }

  /** Books an amount at once. */
  void lump(Charge charge, double usd) {
    billed[charge.ordinal()] += Math.round(usd * 1e6);
  }

  /** Returns how much has been useful so far, to be given to {@link #keep} or {@link #lose}. */
  long[] useful() {
    int a = Activity.USEFUL.ordinal();
    return new long[] {used[a], usedRest[a], nodeMs[a]};
  }

  /** The state taken when this much was useful can no longer be lost. */
  void keep(long[] then) {
    usefulMark = then[0];
    usefulRestMark = then[1];
    usefulMsMark = then[2];
  }

  /** All that was useful since the kept state has to be done again. */
  void lose() {
    int from = Activity.USEFUL.ordinal();
    int to = Activity.REDONE.ordinal();
    long lost = used[from] - usefulMark;
    long lostRest = usedRest[from] - usefulRestMark;
    used[from] = usefulMark;
    usedRest[from] = usefulRestMark;
    long rest = usedRest[to] + lostRest;
    used[to] += lost + Math.floorDiv(rest, MS_PER_HOUR);
    usedRest[to] = Math.floorMod(rest, MS_PER_HOUR);
    nodeMs[to] += nodeMs[from] - usefulMsMark;
    nodeMs[from] = usefulMsMark;
  }

  /** Dollars so far: what the nodes cost and what else was charged, each to the micro-dollar. */
  Money total() {
    long micros = 0;
    for (long part : wholeCharges()) {
      micros += part;
    }
    return new Money(micros);
  }

  /** Dollars by what was paid for; they add up to the total. */
  Map<Charge, Money> bill() {
    long[] whole = wholeCharges();
    Map<Charge, Money> bill = new EnumMap<>(Charge.class);
    for (Charge c : CHARGES) {
      if (whole[c.ordinal()] != 0) {
        bill.put(c, new Money(whole[c.ordinal()]));
      }
    }
    return bill;
  }

  /** Nodes' charges are rounded together, as their use is, so that both add up to the same. */
  private long[] wholeCharges() {
    long[] whole = billed.clone();
    long[] nodes =
        split(Arrays.copyOf(billed, NODE_CHARGES), Arrays.copyOf(billedRest, NODE_CHARGES));
    System.arraycopy(nodes, 0, whole, 0, NODE_CHARGES);
    for (int c = NODE_CHARGES; c < whole.length; c++) {
      whole[c] += nearest(billedRest[c]);
    }
    return whole;
  }

  /** The nodes' dollars by what they did; they add up to what the nodes cost. */
  Map<Activity, Money> use() {
    long[] whole = split(used, usedRest);
    Map<Activity, Money> use = new EnumMap<>(Activity.class);
    for (Activity a : ACTIVITIES) {
      if (whole[a.ordinal()] != 0) {
        use.put(a, new Money(whole[a.ordinal()]));
      }
    }
    return use;
  }

  /** Paid node seconds by what the nodes did. */
  Map<Activity, Double> nodeSeconds() {
    Map<Activity, Double> seconds = new EnumMap<>(Activity.class);
    for (Activity a : ACTIVITIES) {
      if (nodeMs[a.ordinal()] != 0) {
        seconds.put(a, nodeMs[a.ordinal()] / 1e3);
      }
    }
    return seconds;
  }

  /**
   * Returns whole micro-dollars that add up to the rounded sum: the largest rests are rounded up.
   */
  private static long[] split(long[] whole, long[] rests) {
    long[] parts = whole.clone();
    long[] left = rests.clone();
    long rest = 0;
    for (long r : rests) {
      rest += r;
    }
    for (long i = nearest(rest); i > 0; i--) {
      int most = 0;
      for (int k = 1; k < left.length; k++) {
        if (left[k] > left[most]) {
          most = k;
        }
      }
      parts[most]++;
      left[most] = -1;
    }
    return parts;
  }

  private static long nearest(long rest) {
    return (rest + MS_PER_HOUR / 2) / MS_PER_HOUR;
  }
}
