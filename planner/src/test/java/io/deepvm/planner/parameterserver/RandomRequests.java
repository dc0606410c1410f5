package io.deepvm.planner.parameterserver;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.TurnTaking;
import io.deepvm.workload.parameterserver.WorkerType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Jobs and markets drawn at random from a seed, in the range of real ones. */
final class RandomRequests {

  private final Random random;
  private @Nullable TurnTaking turns;

  RandomRequests(long seed) {
    // Neighbouring seeds begin alike otherwise.
    random = new Random(seed * 0x9E3779B97F4A7C15L);
  }

  /** A request with so many types of at most so many workers each, at any deadline. */
  ProvisionRequest request(int types, int mostOfEach, boolean coefficient) {
    return request(types, mostOfEach, coefficient, between(0, 2000), between(0.6, 2));
  }

  /** A request that starts out well above the target, at a deadline a little after the fastest. */
  ProvisionRequest tight(int types, int mostOfEach, boolean coefficient) {
    return request(types, mostOfEach, coefficient, between(0, 100), 1.05 + between(0, 1));
  }

  /** A tight request whose workers take turns at the servers. */
  ProvisionRequest turns(int types, int mostOfEach) {
    turns = new TurnTaking(between(1, 1.2), between(0, 0.05), between(0, 0.05));
    return tight(types, mostOfEach, false);
  }

  private ProvisionRequest request(
      int types, int mostOfEach, boolean coefficient, double gamma1, double slack) {
    double gamma3 = between(800, 4000);
    double largestBatch = 8192;
    LossCurve loss =
        new LossCurve(
            gamma1,
            random.nextInt(4) == 0 ? 0.05 : -between(0, 0.9) * gamma3 / largestBatch,
            gamma3,
            0.5,
            coefficient ? Double.valueOf(between(0.05, 2)) : null);
    ParameterServerProfile profile =
        new ParameterServerProfile(
            new DataSize((long) between(5e6, 6e8)),
            Bandwidth.ofMbps(between(1000, 5000)),
            Bandwidth.ofMbps(80_000),
            new Contention(between(0.2, 0.9), -between(0, 2), 0),
            loss,
            Map.of(),
            turns);
    ParameterServerModel model =
        new ParameterServerModel(profile, Bandwidth.ofMbps(between(5000, 40_000)));
    List<WorkerOffer> offers = new ArrayList<>();
    boolean replanning = random.nextInt(4) == 0;
    for (int i = 0; i < types; i++) {
      offers.add(
          new WorkerOffer(
              type("t" + i, profile),
              new Money(Math.round(between(2e5, 4e6))),
              random.nextInt(mostOfEach + 1),
              replanning && random.nextInt(3) == 0 ? 1 : 0));
    }
    List<SharedLimit> shared = new ArrayList<>();
    if (random.nextInt(3) == 0) {
      List<Double> drawn = new ArrayList<>();
      for (int i = 0; i < types; i++) {
        drawn.add((double) (4 << random.nextInt(4)));
      }
      shared.add(new SharedLimit("vCPUs", 16 * (1 + random.nextInt(4 * types)), drawn));
    }
    double target = 0.5 + between(0.05, 0.6);
    @Nullable Double current = replanning ? Double.valueOf(target + between(0.05, 0.5)) : null;
    Billing billing =
        random.nextBoolean()
            ? Billing.PAPER
            : new Billing(new Money(Math.round(between(0, 1e6))), between(0, 200), true);
    ProvisionRequest loose =
        new ProvisionRequest(
            model, offers, shared, new LossGoal(target, current), 1e12, 20, billing);
    // Deadlines around the fastest cluster are the ones that bind.
    double reference = reference(loose);
    return loose.withDeadline(billing.startUpSeconds() + 20 + slack * reference);
  }

  private WorkerType type(String name, ParameterServerProfile profile) {
    int gpus = 1 << random.nextInt(4);
    double batch = 128 << random.nextInt(4);
    Bandwidth request =
        random.nextInt(3) == 0
            ? Bandwidth.ofMbps(profile.request().mbps() * between(0.5, 1))
            : profile.request();
    return new WorkerType(name, gpus, gpus * batch, between(0.2, 4), request, profile.pcie());
  }

  /** About the shortest time of all. */
  private static double reference(ProvisionRequest request) {
    ProvisionRequest free =
        request
            .withOffers(
                request.offers().stream().map(offer -> offer.withPrice(Money.ZERO)).toList())
            .withBilling(new Billing(new Money(1_000_000), 0, false));
    double least = 1e12;
    for (int n = Math.max(1, request.running());
        n <= request.running() + request.available();
        n += 1 + n / 8) {
      Fleet fleet = new Fleet(free, n);
      double seconds = fleet.seconds(fleet.sums(WorkerSwaps.descend(free, fleet)));
      if (seconds > 0) {
        least = Math.min(least, seconds);
      }
    }
    return least;
  }

  private double between(double low, double high) {
    return low + random.nextDouble() * (high - low);
  }
}
