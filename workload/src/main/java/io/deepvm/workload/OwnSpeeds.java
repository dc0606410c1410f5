package io.deepvm.workload;

import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.SpeedSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a job measured of itself, as rows like those of public measurements. */
public final class OwnSpeeds {

  /** The source of these rows. */
  public static final SpeedSource SOURCE = new SpeedSource("job", "", false);

  private OwnSpeeds() {}

  /**
   * Returns a row for each measured GPU or machine. Instance types that are not among the given
   * machines are looked up in the built-in catalog; one that it does not know either has no row.
   *
   * @param measured samples per second, by instance type (the whole machine) or GPU name (one GPU)
   */
  static List<MeasuredSpeed> of(Job job, Map<String, Double> measured, Iterable<Machine> machines) {
    KnownSpeeds known = job.profiles().speeds();
    Conditions at =
        new Conditions(
            known.model() == null ? job.name() : known.model(),
            job.precision(),
            job.profiles().batch(),
            known.sampleSize());
    return of(at, measured, machines);
  }

  /**
   * Under which a job was measured.
   *
   * @param batch of one GPU; null when not stated
   * @param sampleSize null when not stated
   */
  public record Conditions(
      String model, Precision precision, @Nullable Integer batch, @Nullable Integer sampleSize) {}

  /** Returns the same under conditions that are stated. */
  public static List<MeasuredSpeed> of(
      Conditions at, Map<String, Double> measured, Iterable<Machine> machines) {
    Map<String, Gpus> gpus = gpus(measured.keySet(), machines);
    List<MeasuredSpeed> rows = new ArrayList<>();
    new TreeMap<>(measured)
        .forEach(
            (name, speed) -> {
              Gpus own = gpus.get(name);
              if (own != null && own.count() == Math.rint(own.count())) {
                rows.add(
                    new MeasuredSpeed(
                        at.model,
                        own.model(),
                        (int) own.count(),
                        at.precision,
                        at.batch,
                        at.sampleSize,
                        speed,
                        SOURCE));
              }
            });
    return rows;
  }

  /** Returns the GPUs of each name that is one of a GPU or of a known machine. */
  public static Map<String, Gpus> gpus(Set<String> names, Iterable<Machine> machines) {
    Map<String, Gpus> gpus = new HashMap<>();
    for (String name : names) {
      Gpu gpu = Hardware.gpu(name);
      if (gpu != null) {
        gpus.put(name, new Gpus(gpu, 1));
      }
    }
    add(gpus, names, machines);
    if (!gpus.keySet().containsAll(names)) {
      add(
          gpus,
          names,
          Catalogs.load(Catalogs.DEFAULT).listings().stream().map(Listing::machine).toList());
    }
    return gpus;
  }

  private static void add(Map<String, Gpus> gpus, Set<String> names, Iterable<Machine> machines) {
    for (Machine machine : machines) {
      if (machine.gpus() != null && names.contains(machine.name())) {
        gpus.putIfAbsent(machine.name(), machine.gpus());
      }
    }
  }
}
