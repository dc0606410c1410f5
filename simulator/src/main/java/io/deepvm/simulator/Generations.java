package io.deepvm.simulator;

import io.deepvm.market.SpotRules;

/** The members' work in one simulated run: they form generations, train, and save checkpoints. */
final class Generations {

  private static final long NEVER = SpotRules.NEVER;

  /** What the members do at a moment. */
  private enum Phase {
    DOWN(Activity.WAITING),
    FORMING(Activity.WAITING),
    TRAINING(Activity.USEFUL),
    STALLED(Activity.STALLED);

    private final Activity doing;

    Phase(Activity doing) {
      this.doing = doing;
    }
  }

  private final Scenario scenario;
  private final Checkpointing checkpointing;
  private final Pools pools;
  private final WorkDone workDone;
  private final RunTime time;
  private final Ledger ledger;
  private final int[] members;

  private Phase phase = Phase.DOWN;
  private long phaseEndMs = NEVER;
  private double speed;
  private long trafficMicros;
  private int home = -1;
  private boolean stateHeld;
  private int generations;

  // When members that were all new are up to speed, even if others join or leave meanwhile.
  private long freshEndMs = NEVER;

  Generations(Scenario scenario, Pools pools, WorkDone workDone, RunTime time, Ledger ledger) {
    this.scenario = scenario;
    this.checkpointing = scenario.checkpointing();
    this.pools = pools;
    this.workDone = workDone;
    this.time = time;
    this.ledger = ledger;
    this.members = new int[pools.count()];
  }

  /** Returns whether the members train or stop for a checkpoint. */
  boolean isUp() {
    return phase == Phase.TRAINING || phase == Phase.STALLED;
  }

  Activity doing() {
    return phase.doing;
  }

  /** Returns the pool of the last generation's first member; -1 before the first. */
  int home() {
    return home;
  }

  int generations() {
    return generations;
  }

  /** Returns the next moment at which the members do something else. */
  long nextEventMs() {
    long next = phaseEndMs;
    if (phase == Phase.TRAINING) {
      next = Math.min(next, time.nowMs() + msUntilDone());
      next = Math.min(next, time.nowMs() + workDone.msUntilCheckpoint());
    }
    return next;
  }

  private long msUntilDone() {
    return speed <= 0
        ? NEVER / 4
        : Math.max(1, (long) Math.ceil(workDone.left() / speed * 1000 - 1e-6));
  }

  /** Trains for some milliseconds, if the members train. */
  void train(long ms) {
    if (phase == Phase.TRAINING) {
      workDone.train(ms, speed);
      if (trafficMicros > 0) {
        ledger.rate(Charge.TRAFFIC, trafficMicros, ms);
      }
    }
  }

  /** Forms a new generation when members came or went; starts a checkpoint that is due. */
  void settle() {
    regroup();
    if (phase == Phase.TRAINING && workDone.msUntilCheckpoint() == 0) {
      startCheckpoint();
    }
  }

  /** Forms a new generation when members came or went. */
  void regroup() {
    if (!pools.changed()) {
      return;
    }
    Pools.Change change = pools.takeChange();
    if (change.lost()) {
      workDone.dropShipping();
    }
    boolean restart = change.lost() && scenario.recovery() == Recovery.RESTART;
    if (stateHeld && (restart || !pools.stateInMemory())) {
      workDone.fallBack(change);
      stateHeld = false;
      pools.dropState();
    }
    boolean cold = !pools.stateInMemory();
    payMoves(cold);
    int size = 0;
    for (int p = 0; p < members.length; p++) {
      members[p] = pools.members(p);
      size += members[p];
    }
    Throughput throughput = scenario.throughput();
    speed = size == 0 ? 0 : throughput.unitsPerSecond(members);
    trafficMicros = size == 0 ? 0 : Math.round(throughput.trafficUsdPerHour(members) * 1e6);
    form(cold);
  }

  private void form(boolean cold) {
    if (speed <= 0) {
      freshEndMs = NEVER;
      turn(Phase.DOWN, NEVER);
      return;
    }
    double seconds =
        scenario.startup().reformSeconds()
            + (cold && workDone.safe() > 0 ? checkpointing.restoreSeconds() : 0);
    long endMs = time.nowMs() + Math.round(1000 * seconds);
    if (!cold) {
      freshEndMs = NEVER;
    } else if (freshEndMs == NEVER) {
      freshEndMs = endMs + Math.round(1000 * scenario.startup().freshSeconds());
    }
    turn(Phase.FORMING, cold ? Math.max(endMs, freshEndMs) : endMs);
  }

  /** Pays for sending the state to members in other places, once a pool. */
  private void payMoves(boolean cold) {
    int from = home;
    int first = -1;
    for (int p = 0; p < members.length; p++) {
      if (pools.members(p) > 0) {
        first = first < 0 ? p : first;
        if (from >= 0 && (members[p] == 0 || cold) && p != from && workDone.done() > 0) {
          ledger.lump(Charge.TRAFFIC, scenario.moveUsd(from, p));
        }
      }
    }
    if (first >= 0) {
      home = first;
    }
  }

  private void turn(Phase next, long endMs) {
    phase = next;
    phaseEndMs = endMs;
    pools.record(next.doing);
    workDone.record();
  }

  /** Ends the phase that ends at this moment; returns whether a new generation began to train. */
  boolean endPhase() {
    if (phaseEndMs != time.nowMs()) {
      return false;
    }
    if (phase == Phase.FORMING) {
      generations++;
      stateHeld = true;
      freshEndMs = NEVER;
      pools.holdState();
      turn(Phase.TRAINING, NEVER);
      return true;
    }
    if (phase == Phase.STALLED) {
      workDone.ship();
      turn(Phase.TRAINING, NEVER);
      workDone.endShipping();
    }
    return false;
  }

  private void startCheckpoint() {
    workDone.copyState();
    turn(Phase.STALLED, time.nowMs() + Math.round(checkpointing.stallSeconds() * 1000));
    endPhase();
  }

  /**
   * Begins a checkpoint inside the notice when at least half of the members have notice. The others
   * would hold the state, but notices can fail, so they may be taken, too.
   */
  void saveJustInTime() {
    if (!checkpointing.justInTime()
        || !checkpointing.kept()
        || phase != Phase.TRAINING
        || checkpointing.keepsEveryStep()) {
      return;
    }
    if (scenario.recovery() == Recovery.SURVIVORS && !pools.halfHasNotice()) {
      return;
    }
    long needs = Math.round(1000 * (checkpointing.stallSeconds() + checkpointing.shipSeconds()));
    if (time.nowMs() + needs < time.nextTickMs()) {
      // The newest state is worth more than one that is still on its way.
      startCheckpoint();
    }
  }

  @Override
  public String toString() {
    return phase.toString();
  }
}
