package io.deepvm.catalog;

/**
 * The parameters of a logistic speed-up curve c / (1 + exp(-a (n - b))) measured on clusters of one
 * machine type, for catalogs that carry them.
 */
public record SpeedupCurve(double a, double b, double c) {}
