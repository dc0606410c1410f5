package io.deepvm.planner;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.SpeedupCurve;
import io.deepvm.workload.Job;
import io.deepvm.workload.Profiles;
import io.deepvm.workload.Scaling;
import io.deepvm.workload.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Small random catalogs, jobs and goals, nasty on purpose: ties, tight quotas, odd bandwidths. */
final class RandomMarkets {

  static final Job JOB =
      new Job(
          "random",
          Precision.FP16,
          null,
          null,
          new Work(1e6, 0.5),
          Scaling.UNMEASURED,
          Profiles.NONE);

  private final Random random;

  RandomMarkets(long seed) {
    random = new Random(seed);
  }

  Catalog catalog() {
    List<Listing> listings = new ArrayList<>();
    int workers = 1 + random.nextInt(3);
    int anchors = random.nextInt(4);
    for (String zone : random.nextBoolean() ? List.of("a") : List.of("a", "b")) {
      Place place = new Place("aws", "r1", zone);
      for (int i = 0; i < workers; i++) {
        Money spot = cents(2, 12);
        Money onDemand = random.nextInt(5) == 0 ? null : spot.times(1L + random.nextInt(4));
        listings.add(new Listing(worker("g" + i), place, spot, onDemand));
      }
      for (int i = 0; i < anchors; i++) {
        listings.add(new Listing(anchor("c" + i), place, null, cents(1, 9)));
      }
    }
    return new Catalog("random", null, "test", listings, quotas());
  }

  Goal goal(Objective objective, boolean mix) {
    Money perHour = cents(3, 80);
    CheckpointGoal checkpoints =
        new CheckpointGoal(
            DataSize.ofGb(0.5 + random.nextInt(8)),
            random.nextBoolean() ? 1 : 0.5 + random.nextInt(3),
            random.nextBoolean() ? AnchorMemory.SHARE : AnchorMemory.WHOLE,
            Duration.ofSeconds(10L + random.nextInt(600)));
    LastWorker lastWorker =
        LastWorker.adding(mix || random.nextBoolean() ? 0 : random.nextInt(30) / 100.0);
    Duration deadline =
        random.nextInt(3) == 0 ? Duration.ofSeconds(500L + random.nextInt(20_000)) : null;
    Money cost = random.nextInt(3) == 0 ? cents(20, 900) : null;
    return new Goal(
        new GoalLimits(perHour, cost, deadline, null),
        objective,
        Selection.USUAL,
        Set.of(),
        checkpoints,
        lastWorker,
        mix,
        3);
  }

  private Machine worker(String name) {
    SpeedupCurve curve =
        switch (random.nextInt(3)) {
          case 0 -> null;
          case 1 -> new SpeedupCurve(0.13, 12.9, 6.2);
          default -> new SpeedupCurve(0.1 + random.nextDouble(), 1 + random.nextInt(6), 4);
        };
    Bandwidth network = random.nextInt(6) == 0 ? null : bandwidth();
    double flops = 10.0 * (1 + random.nextInt(12));
    return new Machine("aws", name, "g", vcpus(), null, null, network, null, flops, curve);
  }

  private Machine anchor(String name) {
    DataSize memory = DataSize.ofGb(1 + random.nextInt(12));
    return new Machine("aws", name, "c", vcpus(), memory, null, bandwidth(), null, null, null);
  }

  private List<Quota> quotas() {
    List<Quota> quotas = new ArrayList<>();
    for (Market market : Market.values()) {
      for (String family : List.of("g", "c")) {
        if (random.nextBoolean()) {
          quotas.add(
              new Quota(
                  PlaceFilter.ANYWHERE,
                  Set.of(family),
                  market,
                  Quota.Unit.VCPUS,
                  4L + random.nextInt(36)));
        }
      }
    }
    return quotas;
  }

  private double vcpus() {
    return random.nextBoolean() ? 4 : 2;
  }

  private Bandwidth bandwidth() {
    double[] gbps = {0.01, 0.3, 1, 1.7, 4.2, 5, 10, 20, 50};
    return Bandwidth.ofGbps(gbps[random.nextInt(gbps.length)]);
  }

  private Money cents(int from, int to) {
    return new Money(10_000L * (from + random.nextInt(to - from + 1)));
  }
}
