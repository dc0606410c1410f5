package io.deepvm.cluster.simulation;

/** The fault rates of a run, which its seed draws, and the faults so far. */
final class Faults {

  final double dropped;
  final double repeated;
  final double slow;
  final double cut;
  final double coordinatorDies;
  final double agentDies;
  final double processDies;
  final double processHangs;
  final double taken;
  final double refused;
  final double replyLost;
  final double staleNews;
  final double neverBoots;
  final double requestLost;
  final double agentFreezes;
  final double deadlock;
  private boolean over;
  private long injected;

  Faults(long seed) {
    Chance chance = new Chance(seed, "rates");
    dropped = chance.rate(0.3);
    repeated = chance.rate(0.3);
    slow = chance.rate(0.2);
    cut = chance.rate(0.05);
    coordinatorDies = chance.rate(0.02);
    agentDies = chance.rate(0.02);
    processDies = chance.rate(0.02);
    processHangs = chance.rate(0.01);
    taken = chance.rate(0.05);
    refused = chance.rate(0.3);
    replyLost = chance.rate(0.3);
    staleNews = chance.rate(0.2);
    neverBoots = chance.rate(0.1);
    requestLost = chance.rate(0.3);
    agentFreezes = chance.rate(0.02);
    deadlock = chance.rate(0.01);
  }

  /** From now on nothing fails. */
  void stop() {
    over = true;
  }

  boolean isOver() {
    return over;
  }

  /** Whether a fault of this rate happens now; counts it. */
  boolean happens(Chance chance, double rate) {
    boolean drawn = chance.hits(rate);
    if (over || !drawn) {
      return false;
    }
    injected++;
    return true;
  }

  long injected() {
    return injected;
  }
}
