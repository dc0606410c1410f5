package io.deepvm.cluster.log;

/**
 * An event and when it happened.
 *
 * @param atMs milliseconds since 1970
 * @param marketMs milliseconds of the market's time since the run's start
 */
public record Logged(long atMs, long marketMs, Event event) {}
