package io.deepvm.workload;

import io.deepvm.base.BadInput;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far a training has come when it is planned anew, as after a revocation.
 *
 * @param loss reached so far
 * @param running nodes that train on, by instance type; empty where all are gone
 */
public record Underway(double loss, Map<String, Integer> running) {

  public Underway {
    running = Map.copyOf(running);
    if (!(loss > 0 && Double.isFinite(loss))) {
      throw new BadInput(
          "The current loss %s is not a positive number.".formatted(loss),
          "Maybe write it like 0.9.");
    }
    new TreeMap<>(running)
        .forEach(
            (type, count) -> {
              if (count < 1) {
                throw new BadInput(
                    "%d %s cannot be running.".formatted(count, type),
                    "Maybe leave the type out, or state 1 or more.");
              }
            });
  }
}
