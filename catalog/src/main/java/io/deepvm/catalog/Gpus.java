package io.deepvm.catalog;

/** The GPUs of one machine; the count is a fraction where a slice of a GPU is rented. */
public record Gpus(Gpu model, double count) {}
