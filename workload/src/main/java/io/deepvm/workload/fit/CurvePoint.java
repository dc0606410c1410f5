package io.deepvm.workload.fit;

/** One measurement: the inputs and what came out. */
public record CurvePoint(double[] inputs, double value) {}
