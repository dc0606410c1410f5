package io.deepvm.workload.fit;

/**
 * A fitted number and its uncertainty.
 *
 * @param standardError infinite when the measurements say nothing of it, 0 when it was not fitted
 */
public record Parameter(String name, double value, double standardError) {}
