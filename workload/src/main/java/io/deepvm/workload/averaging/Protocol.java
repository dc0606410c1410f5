package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/**
 * How the peers average.
 *
 * @param streams TCP connections between each two peers
 * @param matchmakingSeconds the least time peers wait for each other to form a group
 * @param overlap whether a round is averaged while the next is computed, one round stale
 * @param trainer how the built-in trainer does it; null for peers as those of the study
 */
public record Protocol(
    Compression compression,
    Topology topology,
    int streams,
    double matchmakingSeconds,
    boolean overlap,
    @Nullable BuiltInTrainer trainer) {

  /** What the study's runs used: fp16, all with all, one stream, 5 s, nothing overlapped. */
  public static final Protocol USUAL =
      new Protocol(Compression.FP16, Topology.FULL_MESH, 1, 5, false);

  /** Peers as those of the study. */
  public Protocol(
      Compression compression,
      Topology topology,
      int streams,
      double matchmakingSeconds,
      boolean overlap) {
    this(compression, topology, streams, matchmakingSeconds, overlap, null);
  }

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
    return new Protocol(other, topology, streams, matchmakingSeconds, overlap, trainer);
  }

  public Protocol withTopology(Topology other) {
    return new Protocol(compression, other, streams, matchmakingSeconds, overlap, trainer);
  }

  public Protocol withStreams(int other) {
    return new Protocol(compression, topology, other, matchmakingSeconds, overlap, trainer);
  }

  public Protocol withMatchmaking(double seconds) {
    return new Protocol(compression, topology, streams, seconds, overlap, trainer);
  }

  public Protocol withOverlap(boolean other) {
    return new Protocol(compression, topology, streams, matchmakingSeconds, other, trainer);
  }

  /** Returns how the built-in trainer averages: all with all, without matchmaking or overlap. */
  public static Protocol builtIn(Compression compression, BuiltInTrainer trainer) {
    return new Protocol(compression, Topology.FULL_MESH, 1, 0, false, trainer);
  }
}
