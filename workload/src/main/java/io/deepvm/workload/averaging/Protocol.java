package io.deepvm.workload.averaging;

import io.deepvm.units.BadInput;

/**
 * How the peers average.
 *
 * @param streams TCP connections between each two peers
 * @param matchmakingSeconds the least time peers wait for each other to form a group
 * @param overlap whether a round is averaged while the next is computed, one round stale
 */
public record Protocol(
    Compression compression,
    Topology topology,
    int streams,
    double matchmakingSeconds,
    boolean overlap) {

  /** What the study's runs used: fp16, all with all, one stream, 5 s, nothing overlapped. */
  public static final Protocol USUAL =
      new Protocol(Compression.FP16, Topology.FULL_MESH, 1, 5, false);

  public Protocol {
    if (streams < 1) {
      throw new BadInput(
          "%d streams between two peers are less than 1.".formatted(streams), "Maybe 1.");
    }
    if (!(matchmakingSeconds >= 0 && Double.isFinite(matchmakingSeconds))) {
      throw new BadInput(
          "The matchmaking time of %s s is not a number of at least 0."
              .formatted(matchmakingSeconds),
          "Maybe 5.");
    }
  }

  public Protocol withCompression(Compression other) {
    return new Protocol(other, topology, streams, matchmakingSeconds, overlap);
  }

  public Protocol withTopology(Topology other) {
    return new Protocol(compression, other, streams, matchmakingSeconds, overlap);
  }

  public Protocol withStreams(int other) {
    return new Protocol(compression, topology, other, matchmakingSeconds, overlap);
  }

  public Protocol withMatchmaking(double seconds) {
    return new Protocol(compression, topology, streams, seconds, overlap);
  }

  public Protocol withOverlap(boolean other) {
    return new Protocol(compression, topology, streams, matchmakingSeconds, other);
  }
}
