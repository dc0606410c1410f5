package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunState;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Watches a run that does not train: says at regular times what it waits for, and finds out when it
 * has waited too long.
 */
final class Waiting {

  /** Real time between two reports. */
  static final long SAID_MS = 30_000;

  /** The longest wait without any node, in the market's time. */
  static final long LONGEST_MARKET_MS = 7L * 24 * 3600 * 1000;

  private final RunSpec spec;
  private final int workers;
  private final SpotMarket market;
  private final IntUnaryOperator available;

  // The start of the wait; -1 while the run trains.
  private long sinceMs = -1;
  private long sinceMarketMs;
  private long saidMs;

  /**
   * Watches a run.
   *
   * @param workers how many the plan has
   * @param available how many spot nodes a pool of the market has now
   */
  Waiting(RunSpec spec, int workers, SpotMarket market, IntUnaryOperator available) {
    this.spec = spec;
    this.workers = workers;
    this.market = market;
    this.available = available;
  }

  /** Returns what there is to report at this moment; null if nothing. */
  Event.@Nullable Waits report(History history, long nowMs, long marketMs) {
    RunState state = history.state();
    if (state != RunState.WAITING && state != RunState.FORMING) {
      sinceMs = -1;
      return null;
    }
    if (sinceMs < 0) {
      sinceMs = nowMs;
      sinceMarketMs = marketMs;
      saidMs = nowMs;
    }
    if (nowMs - saidMs < SAID_MS) {
      return null;
    }
    saidMs = nowMs;
    return state == RunState.FORMING
        ? forming(history, nowMs, marketMs)
        : waiting(history, nowMs, marketMs);
  }

  /** Returns why the run cannot go on; null if it can. */
  @Nullable String tooLong(History history, long marketMs) {
    return sinceMs >= 0
            && marketMs - sinceMarketMs > LONGEST_MARKET_MS
            && history.status().held().isEmpty()
        ? "no node could be rented for %d days of the market's time"
            .formatted(LONGEST_MARKET_MS / (24 * 3600 * 1000))
        : null;
  }

  private Event.Waits forming(History history, long nowMs, long marketMs) {
    List<String> late =
        history.members().stream()
            .filter(name -> history.state(name) != NodeState.TRAINING)
            .toList();
    return new Event.Waits(
        nowMs - sinceMs,
        marketMs - sinceMarketMs,
        "%s to begin to train".formatted(String.join(", ", late)),
        "a process that does not begin within %.0f s is started again"
            .formatted(spec.work().timeouts().formSeconds()));
  }

  private Event.Waits waiting(History history, long nowMs, long marketMs) {
    List<NodeStatus> held = history.status().held();
    long starting =
        held.stream()
            .filter(n -> n.state() == NodeState.REQUESTED || n.state() == NodeState.BOOTING)
            .count();
    String what =
        starting > 0
            ? "%d of %d nodes to start".formatted(starting, held.size())
            : "nodes: %d of %d are there, and %s"
                .formatted(held.size(), workers + spec.servers(), capacity());
    String next =
        starting > 0
            ? "a node that does not start within %.0f s fails the run".formatted(spec.bootSeconds())
            : "the policy is asked again at every tick of the market, and training goes on with %d"
                .formatted(spec.minWorkers());
    return new Event.Waits(nowMs - sinceMs, marketMs - sinceMarketMs, what, next);
  }

  /** Returns what the market has now. */
  private String capacity() {
    List<Pool> pools = market.pools();
    int[] counts = IntStream.range(0, pools.size()).map(available).toArray();
    int all = IntStream.of(counts).sum();
    return pools.size() == 1
        ? "the market has %d spot nodes of %s".formatted(all, pools.get(0))
        : "the market has %d spot nodes in %d pools".formatted(all, pools.size());
  }
}
