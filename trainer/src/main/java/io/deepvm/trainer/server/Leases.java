package io.deepvm.trainer.server;

import io.deepvm.trainer.data.SampleOrder;
import io.deepvm.trainer.member.Totals;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The first server's book of micro-batches: which are done, and which are out at whom. One that is
 * given back is handed out again before any new one.
 */
final class Leases {

  private record Open(long lease, long doneBefore) {}

  private final long total;
  private final int microBatch;
  private final int staleness;
  private final Map<Integer, Open> open = new HashMap<>();
  private final TreeSet<Long> returned = new TreeSet<>();
  private long next;
  private long done;
  private long ledger;
  private double loss = Double.NaN;
  private boolean paused;

  Leases(long total, int microBatch, int staleness) {
    this.total = total;
    this.microBatch = microBatch;
    this.staleness = staleness;
  }

  /** Begins at a state of which all leases up to it are done. */
  synchronized void begin(Totals totals) {
    open.clear();
    returned.clear();
    done = totals.samples() / microBatch;
    next = done;
    ledger = totals.ledger();
    loss = totals.loss();
    paused = false;
  }

  /** Takes back all leases, since who has them may be gone. */
  synchronized void takeBack() {
    open.values().forEach(lease -> returned.add(lease.lease));
    open.clear();
    paused = false;
  }

  /** A worker's lease is done at all servers. */
  synchronized boolean finish(int worker, long lease, double lossSum) {
    Open held = open.get(worker);
    if (held == null || held.lease != lease) {
      return false;
    }
    open.remove(worker);
    done++;
    for (long i = 0; i < microBatch; i++) {
      ledger += SampleOrder.mix(lease * microBatch + i);
    }
    double mean = lossSum / microBatch;
    // One micro-batch says little; this is about the mean over the last twenty.
    loss = Double.isNaN(loss) ? mean : 0.95 * loss + 0.05 * mean;
    return true;
  }

  /** Returns a lease for a worker, the one it has if it has one; negative if there is none. */
  synchronized long take(int worker) {
    Open held = open.get(worker);
    if (held != null) {
      return held.lease;
    }
    if (done == total) {
      return Call.Grant.DONE;
    }
    // Before a pause is over, what came back must be done: a state is saved between leases.
    boolean none = returned.isEmpty() && (paused || next == total);
    if (none || !fresh()) {
      return Call.Grant.WAIT;
    }
    Long again = returned.pollFirst();
    long lease = again == null ? next++ : again;
    open.put(worker, new Open(lease, done));
    return lease;
  }

  /** Whether with one lease more none can miss more updates of others than it may. */
  private boolean fresh() {
    if (staleness < 0) {
      return true;
    }
    for (Open one : open.values()) {
      if (done - one.doneBefore + open.size() > staleness) {
        return false;
      }
    }
    return open.size() <= staleness;
  }

  /** Stops or resumes handing out. */
  synchronized void pause(boolean now) {
    paused = now;
  }

  /** Whether nothing is out, and nothing has come back. */
  synchronized boolean quiet() {
    return open.isEmpty() && returned.isEmpty();
  }

  synchronized boolean finished() {
    return done == total;
  }

  synchronized long done() {
    return done;
  }

  /** Returns the totals, counting each micro-batch as a step. */
  synchronized Totals totals(long generation) {
    return new Totals(done, done * microBatch, ledger, loss, generation);
  }
}
