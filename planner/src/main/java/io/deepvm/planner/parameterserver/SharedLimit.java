package io.deepvm.planner.parameterserver;

import java.util.List;

/**
 * A ceiling that several offers draw on, such as a quota of vCPUs.
 *
 * @param drawn what one new worker of each offer takes, in the order of the offers
 */
public record SharedLimit(String name, double limit, List<Double> drawn) {

  public SharedLimit {
    drawn = List.copyOf(drawn);
  }

  boolean allows(int[] added) {
    double used = 0;
    for (int i = 0; i < added.length; i++) {
      used += added[i] * drawn.get(i);
    }
    return used <= limit;
  }
}
