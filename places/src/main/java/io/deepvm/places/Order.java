package io.deepvm.places;

import io.deepvm.catalog.Market;

/**
 * A request for one node. The event log of the run holds it, synced, before it is sent.
 *
 * @param token names this order for ever; a cloud that sees it twice rents one machine
 * @param node the name of the node, never used again in the run
 * @param pool index of the pool in {@link MarketView#pools}
 * @param launch the process to start on the node
 */
public record Order(String token, String node, int pool, Market market, Launch launch) {}
