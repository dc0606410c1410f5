package io.deepvm.simulator;

import java.util.Arrays;

/** The rented nodes, oldest first, as arrays. */
final class Nodes {

  int size;
  int[] id = new int[32];
  int[] pool = new int[32];
  boolean[] onDemand = new boolean[32];
  boolean[] anchor = new boolean[32];
  boolean[] member = new boolean[32];

  /** Whether the node has the state in memory: it was in a generation that trained. */
  boolean[] holds = new boolean[32];

  boolean[] noticed = new boolean[32];
  long[] bornMs = new long[32];
  long[] readyMs = new long[32];

  /** When the node fails by itself. */
  long[] crashMs = new long[32];

  private int ids;

  /** Adds one and returns its index. */
  int add(int where, boolean stays, boolean keeps, long born, long ready, long crash) {
    if (size == id.length) {
      int more = size * 2;
      id = Arrays.copyOf(id, more);
      pool = Arrays.copyOf(pool, more);
      onDemand = Arrays.copyOf(onDemand, more);
      anchor = Arrays.copyOf(anchor, more);
      member = Arrays.copyOf(member, more);
      holds = Arrays.copyOf(holds, more);
      noticed = Arrays.copyOf(noticed, more);
      bornMs = Arrays.copyOf(bornMs, more);
      readyMs = Arrays.copyOf(readyMs, more);
      crashMs = Arrays.copyOf(crashMs, more);
    }
    int i = size++;
    id[i] = ids++;
    pool[i] = where;
    onDemand[i] = stays;
    anchor[i] = keeps;
    member[i] = false;
    holds[i] = false;
    noticed[i] = false;
    bornMs[i] = born;
    readyMs[i] = ready;
    crashMs[i] = crash;
    return i;
  }

  /** Takes one out, keeping the order of the others. */
  void remove(int i) {
    int rest = --size - i;
    System.arraycopy(id, i + 1, id, i, rest);
    System.arraycopy(pool, i + 1, pool, i, rest);
    System.arraycopy(onDemand, i + 1, onDemand, i, rest);
    System.arraycopy(anchor, i + 1, anchor, i, rest);
    System.arraycopy(member, i + 1, member, i, rest);
    System.arraycopy(holds, i + 1, holds, i, rest);
    System.arraycopy(noticed, i + 1, noticed, i, rest);
    System.arraycopy(bornMs, i + 1, bornMs, i, rest);
    System.arraycopy(readyMs, i + 1, readyMs, i, rest);
    System.arraycopy(crashMs, i + 1, crashMs, i, rest);
  }
}
