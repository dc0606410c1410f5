package io.deepvm.places.recorded;

import io.deepvm.market.SpotMarket;

/**
 * What a {@link RecordedCloud} plays.
 *
 * @param market prices and capacity; a run that is not done at its end is given up
 * @param firstTick the market's tick in which the run starts
 * @param speed market seconds that pass in one second
 * @param revocations how nodes are lost besides the nodes that the market takes
 * @param seed of everything drawn by lot
 */
public record Playback(
    SpotMarket market, int firstTick, double speed, Revocations revocations, long seed) {}
