package io.deepvm.planner.averaging;

import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.PeerGroup;
import java.util.List;

/**
 * Peers to train with, what they should do and why they were chosen.
 *
 * @param score samples/s, dollars per million samples or dollars per hour, as the goal aims
 * @param gap how far the true optimum may be from this score, relative; 0 when proven
 */
public record AveragingPlan(
    List<PlannedPeers> peers, Forecast forecast, double score, double gap, List<String> why) {

  public AveragingPlan {
    peers = List.copyOf(peers);
    why = List.copyOf(why);
  }

  public List<PeerGroup> groups() {
    return peers.stream().map(PlannedPeers::group).toList();
  }
}
