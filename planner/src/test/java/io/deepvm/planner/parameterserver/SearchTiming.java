package io.deepvm.planner.parameterserver;

import io.deepvm.units.Money;
import io.deepvm.workload.parameterserver.LossGoal;
import java.util.ArrayList;
import java.util.List;

/** Measures the exact search, warm: 70 workers of 7 types and 1,000 of 50. */
final class SearchTiming {

  private SearchTiming() {}

  public static void main(String[] args) {
    String[] names = {
      "p3.2xlarge",
      "p2.8xlarge",
      "g4dn.12xlarge",
      "g4dn.4xlarge",
      "g3.16xlarge",
      "g3.8xlarge",
      "g3.4xlarge"
    };
    String[] prices = {"1.25", "2.16", "1.22", "0.36", "1.37", "0.69", "0.34"};
    for (int round = 0; round < 3; round++) {
      for (boolean full : new boolean[] {false, true}) {
        for (double deadline : new double[] {700, 1000, 1500, 2400, 5000}) {
          List<WorkerOffer> offers = new ArrayList<>();
          for (int i = 0; i < names.length; i++) {
            offers.add(new WorkerOffer(ResNet110.type(names[i]), Money.parse(prices[i]), 10, 0));
          }
          ProvisionRequest request =
              new ProvisionRequest(
                  ResNet110.model(full ? ResNet110.FULL_LOSS : ResNet110.LOSS),
                  offers,
                  List.of(),
                  LossGoal.fromStart(0.8),
                  deadline,
                  0,
                  Billing.PAPER);
          time("70x7 " + deadline, full, request);
        }
      }
    }
    for (int seed = 0; seed < 40; seed++) {
      for (boolean full : new boolean[] {false, true}) {
        RandomRequests random = new RandomRequests(seed);
        ProvisionRequest request = random.tight(50, 40, full);
        time("1000x50 seed " + seed, full, request);
      }
    }
  }

  private static void time(String what, boolean full, ProvisionRequest request) {
    long start = System.nanoTime();
    ProvisionOutcome outcome = new ExactSearch().search(request);
    long took = System.nanoTime() - start;
    Provision best = outcome.best();
    System.out.printf(
        java.util.Locale.ROOT,
        "%-20s %-5s %9.2f ms  bounds %9d gap %.2g  n %4d  $%.4f%n",
        what,
        full ? "full" : "noCC",
        took / 1e6,
        outcome.considered(),
        outcome.gap(),
        best == null ? 0 : best.workers(),
        best == null ? 0 : best.dollars());
  }
}
