package io.deepvm.planner.averaging;

import io.deepvm.catalog.Offer;
import io.deepvm.workload.averaging.PeerGroup;
import org.jspecify.annotations.Nullable;

/** Peers of a plan and the offer they are rented through; null for machines of one's own. */
public record PlannedPeers(PeerGroup group, @Nullable Offer offer) {}
