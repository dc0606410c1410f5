package io.deepvm.catalog;

import java.util.Set;

/**
 * A ceiling on what one account may rent at a time. All families named share it, as AWS pools its
 * standard families.
 *
 * @param families lower-case family names; empty means every family
 */
public record Quota(PlaceFilter place, Set<String> families, Market market, Unit unit, long limit) {

  /** What a quota counts. */
  public enum Unit {
    VCPUS,
    GPUS,
    NODES
  }

  /** Whether machines of this family draw on this quota, where and on whichever market it holds. */
  public boolean covers(Machine machine) {
    return families.isEmpty() || families.contains(machine.family());
  }

  /** How much of the limit one such machine takes. */
  public double drawnBy(Machine machine) {
    return switch (unit) {
      case VCPUS -> machine.vcpus();
      case GPUS -> machine.gpus() == null ? 0 : machine.gpus().count();
      case NODES -> 1;
    };
  }

  /** How many such machines fit, all of the limit being theirs. */
  public long nodes(Machine machine) {
    double drawn = drawnBy(machine);
    return drawn == 0 ? Long.MAX_VALUE : (long) Math.floor(limit / drawn);
  }

  @Override
  public String toString() {
    String who =
        families.isEmpty()
            ? "all families"
            : String.join(", ", families.stream().sorted().toList());
    return "%d %s %s for %s in %s"
        .formatted(
            limit,
            market,
            unit == Unit.VCPUS ? "vCPUs" : unit == Unit.GPUS ? "GPUs" : "nodes",
            who,
            place);
  }
}
