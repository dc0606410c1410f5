package io.deepvm.planner;

import io.deepvm.catalog.Offer;

/** A worker offer with its floating-point operations per dollar: stage two. */
public record RankedOffer(Offer offer, double flops, double flopp) {}
