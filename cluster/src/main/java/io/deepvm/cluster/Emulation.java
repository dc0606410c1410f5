package io.deepvm.cluster;

/**
 * Nodes that stand for others, which start faster in the market's time. Time that only this machine
 * needs is taken out of the market's.
 *
 * @param freshSeconds real seconds that members lose after their start when all of them are new
 */
public record Emulation(double freshSeconds) {}
