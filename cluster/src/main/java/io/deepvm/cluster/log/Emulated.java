package io.deepvm.cluster.log;

import io.deepvm.base.Money;

/**
 * What a run took longer than the machines that its nodes stand for. Neither its time nor its cost
 * contains it.
 *
 * @param marketMs in the market's time
 * @param cost what its nodes would have cost for that long
 */
public record Emulated(long marketMs, Money cost) {}
