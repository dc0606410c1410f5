package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/**
 * Where a job stands against an even pace to its deadline, which is what Uniform Progress goes by
 * (Wu et al., Can't Be Late, NSDI 2024).
 */
final class EvenPace {

  /** Less overhead than this counts as none. */
  private static final double SETTLED_SECONDS = 1e-3;

  private boolean instant;
  private boolean settled;
  private boolean behind;
  private boolean aheadByTwoRestarts;
  private double oneRestart;
  private double twoRestarts;
  private double time;
  private boolean leavesOnDemand;

  /** Looks at the gang. */
  void read(Gang gang) {
    GangJob job = gang.job();
    double work = job.workSeconds();
    double deadline = job.deadlineSeconds();
    double restart = job.restartSeconds();
    double tick = gang.tickSeconds();
    double left = gang.left();
    double now = gang.now();
    instant = restart == 0;
    settled = gang.overheadLeft() < SETTLED_SECONDS;
    behind = work - left - now * work / deadline < 0;
    aheadByTwoRestarts = (now + 2 * restart) * work / deadline - (work - left) < 0;
    oneRestart = Math.ceil((left + restart) / tick) * tick;
    twoRestarts = Math.ceil((left + 2 * restart) / tick) * tick;
    time = Math.floor((deadline - now) / tick) * tick;
  }

  /** Whether a launch now is the last chance. */
  boolean lastChance() {
    return oneRestart >= time;
  }

  /** Whether a launch now and another one later still meet the deadline, but nothing more. */
  boolean twoRestartsFillTheTime() {
    return twoRestarts >= time;
  }

  boolean behind() {
    return behind;
  }

  /** Whether on demand may be left: work is ahead of the pace by two restarts. */
  boolean aheadByTwoRestarts() {
    return aheadByTwoRestarts;
  }

  /** Whether a restart costs no time. */
  boolean instant() {
    return instant;
  }

  /** Whether what runs has restarted. */
  boolean settled() {
    return settled;
  }

  /** Whether the last answer was to leave on demand although it would else be kept. */
  boolean leavesOnDemand() {
    return leavesOnDemand;
  }

  /** Returns what Uniform Progress over several zones wants, if spot can be had or not. */
  Mode want(Mode current, boolean spot) {
    leavesOnDemand = false;
    Mode otherwise = behind ? Mode.ON_DEMAND : Mode.NONE;
    Mode wanted = spot ? Mode.SPOT : otherwise;
    if (current == Mode.ON_DEMAND && (!spot || !aheadByTwoRestarts)) {
      wanted = Mode.ON_DEMAND;
    }
    if (twoRestarts > time && current != Mode.SPOT) {
      wanted = Mode.ON_DEMAND;
    }
    if (lastChance()) {
      wanted = (current == Mode.SPOT && settled) || (instant && spot) ? Mode.SPOT : Mode.ON_DEMAND;
    }
    if (current == Mode.ON_DEMAND && spot && wanted == Mode.ON_DEMAND && aheadByTwoRestarts) {
      leavesOnDemand = true;
      return Mode.SPOT;
    }
    return wanted;
  }
}
