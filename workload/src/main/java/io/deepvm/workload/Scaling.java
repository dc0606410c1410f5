package io.deepvm.workload;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.SpeedupCurve;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The scaling curves of one job: by instance type, by GPU name, else the one the catalog carries,
 * else the assumption that stands for everything not measured.
 */
public record Scaling(Map<String, ScalingCurve> measured, ScalingCurve assumed) {

  /** What holds without a measurement: 2 % of a step is not shortened by more nodes. */
  public static final ScalingCurve ASSUMED = new ScalingCurve.Amdahl(0.02);

  /** No measurements at all. */
  public static final Scaling UNMEASURED = new Scaling(Map.of(), ASSUMED);

  public Scaling {
    measured = Map.copyOf(measured);
  }

  /** Refuses a measurement of what is neither a machine nor a GPU of the catalog. */
  public void requireKnown(Catalog catalog) {
    Set<String> known = new TreeSet<>();
    for (Listing listing : catalog.listings()) {
      known.add(listing.machine().name());
      if (listing.machine().gpus() != null) {
        known.add(listing.machine().gpus().model().name());
      }
    }
    for (String type : measured.keySet()) {
      if (!known.contains(type)) {
        throw new BadInput(
            "scaling.measured has '%s', which the catalog '%s' does not know."
                .formatted(type, catalog.name()),
            Suggestion.maybe(type, known, "Maybe it is of another --catalog, or misspelt."));
      }
    }
  }

  /** Returns the curve for clusters of this machine. */
  public ScalingCurve of(Machine machine) {
    ScalingCurve curve = measured.get(machine.name());
    if (curve == null && machine.gpus() != null) {
      curve = measured.get(machine.gpus().model().name());
    }
    if (curve == null && machine.speedup() != null) {
      SpeedupCurve carried = machine.speedup();
      curve = new ScalingCurve.Logistic(carried.a(), carried.b(), carried.c());
    }
    return curve == null ? assumed : curve;
  }
}
