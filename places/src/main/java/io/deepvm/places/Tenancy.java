package io.deepvm.places;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run already holds when a coordinator opens its cloud.
 *
 * @param run the name of the run
 * @param marketMs the market's time to go on from
 * @param share the share of its speed at which the market's time passes
 * @param held the nodes that are not known to be gone
 */
public record Tenancy(String run, long marketMs, double share, List<Held> held) {
  public Tenancy {
    held = List.copyOf(held);
  }

  /**
   * A node that is not known to be gone.
   *
   * @param order to be sent again if the node has no handle
   * @param handle null if the order was never answered
   * @param rentedMs when it was ordered, in the market's time
   * @param notice the reason of a notice that stands; null if there is none
   */
  public record Held(
      Order order, @Nullable String handle, long rentedMs, @Nullable String notice) {}
}
