package io.deepvm.planner.averaging;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.averaging.TrainedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Catalogs and profiles for tests. */
final class Markets {

  static final TrainedModel CONVNEXT = new TrainedModel("ConvNextLarge", 197.8e6, 344);
  static final TrainedModel XLM = new TrainedModel("RoBERTaXLM", 560.1e6, 394);

  static final SpeedProfile XLM_SPEEDS =
      new SpeedProfile(XLM, Map.of("T4", 139.2, "A10", 293.4), 32, Precision.FP16);
  static final SpeedProfile CONVNEXT_SPEEDS =
      new SpeedProfile(CONVNEXT, Map.of("T4", 36.8, "A10", 91.9), 32, Precision.FP16);

  static final List<Place> PLACES =
      List.of(
          new Place("gcp", "us-central1", null),
          new Place("gcp", "europe-west1", null),
          new Place("gcp", "asia-east1", null),
          new Place("gcp", "australia-southeast1", null),
          new Place("aws", "us-west-2", null),
          new Place("aws", "eu-west-1", null),
          new Place("lambda", "us-west-1", null));

  private Markets() {}

  static Listing listing(Place place, String gpu, int gpus, double vcpus, String spot) {
    Gpu model = Objects.requireNonNull(Hardware.gpu(gpu));
    Machine machine =
        new Machine(
            place.cloud(),
            "%s-%d".formatted(gpu, gpus),
            "g",
            vcpus,
            null,
            new Gpus(model, gpus),
            null,
            null,
            null,
            null);
    return new Listing(machine, place, Money.parse(spot), null);
  }

  static Catalog catalog(List<Listing> listings) {
    return new Catalog("test", null, "", listings, List.of());
  }

  /** T4s everywhere at the study's price. */
  static Catalog t4Everywhere() {
    return catalog(PLACES.stream().map(place -> listing(place, "T4", 1, 8, "0.18")).toList());
  }

  /** As many random listings as asked for, over all places and several GPUs. */
  static Catalog random(long seed, int listings) {
    Random random = new Random(seed);
    List<String> gpus = List.of("T4", "A10", "L4", "A100", "V100");
    List<Listing> made = new ArrayList<>();
    for (int i = 0; i < listings; i++) {
      made.add(
          listing(
              PLACES.get(random.nextInt(PLACES.size())),
              gpus.get(random.nextInt(gpus.size())),
              1 << random.nextInt(3),
              random.nextBoolean() ? 8 : 32,
              String.valueOf(50 + random.nextInt(2000)).concat("e-3")));
    }
    return catalog(made);
  }
}
