package io.deepvm.cluster.shell;

import io.deepvm.cluster.core.Obligations;
import io.deepvm.cluster.core.RunState;
import io.deepvm.places.Cloud;
import io.deepvm.places.Order;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Sends the cloud what the state asks of it, and repeats what the cloud does not answer. */
final class CloudRequests {

  /** The pause before an unanswered request is repeated. */
  private static final long AGAIN_MS = 2_000;

  private final Cloud cloud;
  private final Function<Obligations.Ordered, Order> orders;
  private final Map<String, Long> sentMs = new LinkedHashMap<>();

  CloudRequests(Cloud cloud, Function<Obligations.Ordered, Order> orders) {
    this.cloud = cloud;
    this.orders = orders;
  }

  /** Sends what is due, and returns when this must be called again. */
  long send(RunState state, long nowMs) {
    Obligations open = Obligations.of(state, nowMs);
    Set<String> keys = new LinkedHashSet<>();
    long wake = Obligations.wakeMs(state, nowMs);
    // Ends come first: they make room for the orders.
    for (String node : open.ends()) {
      String key = "end " + node;
      keys.add(key);
      if (isDue(key, nowMs)) {
        cloud.end(node, "the run does not need it");
      }
    }
    for (Obligations.Ordered ordered : open.orders()) {
      String key = "order " + ordered.node();
      keys.add(key);
      if (isDue(key, nowMs)) {
        cloud.order(orders.apply(ordered));
      }
    }
    sentMs.keySet().retainAll(keys);
    return keys.isEmpty() ? wake : Math.min(wake, nowMs + AGAIN_MS);
  }

  private boolean isDue(String key, long nowMs) {
    Long before = sentMs.get(key);
    // A clock that was set back must not hold a request up.
    boolean due = before == null || nowMs >= before + AGAIN_MS || nowMs < before;
    if (due) {
      sentMs.put(key, nowMs);
    }
    return due;
  }
}
