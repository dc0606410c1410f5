package io.deepvm.simulator.gang;

/**
 * What one run came to.
 *
 * @param inTime whether the work was done by the deadline
 * @param finishTick the tick at whose beginning the run ended
 * @param dollars all that was paid
 * @param dollarsBeforeLastTick the same without the last tick, as some authors report it
 * @param egressDollars of it for carrying checkpoints
 * @param probeDollars of it for probes
 * @param migrations moves to another zone
 */
public record GangOutcome(
    boolean inTime,
    int finishTick,
    double dollars,
    double dollarsBeforeLastTick,
    double egressDollars,
    double probeDollars,
    int migrations) {}
