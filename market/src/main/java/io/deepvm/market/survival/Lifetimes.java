package io.deepvm.market.survival;

import io.deepvm.base.BadInput;
import io.deepvm.market.Trace;
import java.util.Arrays;
import java.util.List;

/**
 * How many ticks node slots stayed in a state, by number of ticks.
 *
 * <p>A pool that was asked for n nodes has n slots, and slot k is up when more than k nodes could
 * be had. A stay that ends with the trace or in a gap lasted at least as long: it is censored. One
 * that was under way when the trace began counts from there.
 *
 * @param ended how many stays ended after this many ticks, by ticks
 * @param censored how many were last seen after this many ticks, by ticks
 */
public record Lifetimes(double tickSeconds, long[] ended, long[] censored) {

  /** Returns how long slots were up. */
  public static Lifetimes up(Trace trace) {
    return of(trace, true);
  }

  /** Returns how long slots were down. */
  public static Lifetimes down(Trace trace) {
    return of(trace, false);
  }

  private static Lifetimes of(Trace trace, boolean up) {
    int[] counts = trace.available();
    long[] ended = new long[counts.length + 1];
    long[] censored = new long[counts.length + 1];
    for (int slot = 0; slot < trace.asked(); slot++) {
      int run = 0;
      for (int count : counts) {
        if (count != Trace.UNKNOWN && count > slot == up) {
          run++;
        } else {
          (count == Trace.UNKNOWN ? censored : ended)[run]++;
          run = 0;
        }
      }
      censored[run]++;
    }
    // Between two ticks of the other state lies a stay of no length, which is none.
    ended[0] = 0;
    censored[0] = 0;
    return new Lifetimes(trace.tickSeconds(), ended, censored);
  }

  /** Returns the stays of several pools as of one; their ticks must be equally long. */
  public static Lifetimes together(List<Lifetimes> all) {
    int length = all.stream().mapToInt(one -> one.ended.length).max().orElseThrow();
    long[] ended = new long[length];
    long[] censored = new long[length];
    for (Lifetimes one : all) {
      if (one.tickSeconds != all.get(0).tickSeconds) {
        throw new BadInput(
            "Ticks of %s s and %s s cannot be counted together."
                .formatted(all.get(0).tickSeconds, one.tickSeconds),
            "Maybe align the traces first.");
      }
      for (int r = 0; r < one.ended.length; r++) {
        ended[r] += one.ended[r];
        censored[r] += one.censored[r];
      }
    }
    return new Lifetimes(all.get(0).tickSeconds, ended, censored);
  }

  /** Returns how many stays were seen to end. */
  public long ends() {
    return Arrays.stream(ended).sum();
  }

  /** Returns the hours in the state for every stay that was seen to end. */
  public double hoursPerEnd() {
    double ticks = 0;
    for (int r = 0; r < ended.length; r++) {
      ticks += (double) r * (ended[r] + censored[r]);
    }
    return ticks * tickSeconds / 3600 / ends();
  }

  /** Returns how many stays there were. */
  public long stays() {
    return ends() + Arrays.stream(censored).sum();
  }
}
