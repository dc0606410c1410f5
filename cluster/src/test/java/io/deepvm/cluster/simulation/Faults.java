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
  final double split;
  final double machineNoticed;
  final double diskFails;
  final double coordinatorStands;
  final double clockJumps;
  final double secondCoordinator;
  final double interrupted;

  /** Whether agents wait for the coordinator, which has to connect. */
  final boolean dialled;

  /** When somebody asks for the end of the run; the largest number if nobody does. */
  final long stopMs;

  /** When the cloud closes for good; the largest number if it does not. */
  final long closedMs;

  /** The first of the pools that refuse for good from some moment on. */
  final int deniedFrom;

  final long deniedMs;

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
    split = chance.rate(0.1);
    machineNoticed = chance.rate(0.05);
    diskFails = chance.rate(0.005);
    coordinatorStands = chance.rate(0.02);
    clockJumps = chance.rate(0.05);
    secondCoordinator = chance.rate(0.2);
    interrupted = chance.rate(0.02);
    dialled = chance.hits(0.3);
    stopMs = chance.hits(0.1) ? chance.between(0, 200_000) : Long.MAX_VALUE;
    closedMs = chance.hits(0.03) ? chance.between(0, 200_000) : Long.MAX_VALUE;
    deniedFrom = chance.hits(0.1) ? chance.below(2) : Integer.MAX_VALUE;
    deniedMs = chance.hits(0.5) ? chance.between(0, 180_000) : 0;
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
