package io.deepvm.cluster.log;

/**
 * A member that was lost.
 *
 * @param noticed whether there was a notice
 * @param marketMs when, in the market's time
 * @param atMs when, in milliseconds since 1970
 * @param recoveredMs real milliseconds until all members of a later generation trained; -1 if that
 *     has not happened
 */
public record Revoked(
    String node, String reason, boolean noticed, long marketMs, long atMs, long recoveredMs) {}
