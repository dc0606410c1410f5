package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.places.aws.AwsAccount;
import io.deepvm.places.aws.AwsSettings;
import io.deepvm.simulator.PlannedRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A plan priced by EC2: its pools at the prices of now, with the other zones that sell the same.
 *
 * @param usdPerHour what the nodes cost an hour now
 * @param plannedUsdPerHour what the plan said
 */
record AwsQuote(
    String region,
    List<AwsSettings.Offered> pools,
    List<AnyZone.Wanted> wanted,
    double usdPerHour,
    double plannedUsdPerHour) {

  /** A spot price may move this far above the plan's without being asked for again. */
  static final double DRIFT = 1.1;

  /** Refuses a plan that is not for one region of AWS. */
  static String region(PlannedRun run) {
    List<String> regions =
        run.workers().stream()
            .map(group -> group.pool().place().cloud() + "/" + group.pool().place().region())
            .distinct()
            .toList();
    if (regions.size() != 1 || !regions.get(0).startsWith("aws/")) {
      throw new BadInput(
          "The plan's nodes are in %s, and --on aws rents in one region of AWS."
              .formatted(String.join(", ", regions)),
          "Maybe plan with --place aws/us-east-1.");
    }
    return regions.get(0).substring("aws/".length());
  }

  /** Asks EC2 for the prices of a plan. */
  static AwsQuote of(PlannedRun run, AwsAccount account, Map<String, String> zones)
      throws IOException {
    List<AwsSettings.Offered> pools = new ArrayList<>();
    List<AnyZone.Wanted> wanted = new ArrayList<>();
    double now = 0;
    double planned = 0;
    for (PlannedRun.Group group : run.workers()) {
      List<Integer> own = new ArrayList<>();
      double cheapest = Double.MAX_VALUE;
      for (AwsSettings.Offered offered : offered(group, account, zones)) {
        own.add(pools.size());
        pools.add(offered);
        boolean spot = group.market() == Market.SPOT;
        cheapest =
            Math.min(cheapest, (spot ? offered.spotMicros() : offered.onDemandMicros()) / 1e6);
      }
      if (own.isEmpty()) {
        throw new BadInput(
            "No zone of the region sells %s on spot.".formatted(group.pool().instanceType()),
            "Maybe plan again with --market on-demand, or in another region.");
      }
      wanted.add(new AnyZone.Wanted(own, group.market(), group.count()));
      now += group.count() * cheapest;
      planned += group.count() * group.pricePerHour().micros() / 1e6;
    }
    return new AwsQuote(region(run), pools, wanted, now, planned);
  }

  private static List<AwsSettings.Offered> offered(
      PlannedRun.Group group, AwsAccount account, Map<String, String> zones) throws IOException {
    String type = group.pool().instanceType();
    String zone = group.pool().place().zone();
    long stated = group.pricePerHour().micros();
    var other = group.onDemandPerHour();
    long onDemand =
        other != null ? other.micros() : group.market() == Market.SPOT ? 4 * stated : stated;
    List<AwsSettings.Offered> all = new ArrayList<>();
    for (String each : zones.keySet()) {
      if (group.market() == Market.SPOT) {
        OptionalLong price = account.spotMicros(each, type);
        if (price.isPresent() && price.getAsLong() <= onDemand) {
          all.add(new AwsSettings.Offered(each, type, price.getAsLong(), onDemand, onDemand));
        }
      } else if (zone == null || zone.equals(each)) {
        all.add(new AwsSettings.Offered(each, type, stated, onDemand, onDemand));
      }
    }
    return all;
  }

  /** Refuses a plan that the account's quotas do not allow. */
  void requireQuotas(AwsAccount account) throws IOException {
    Map<String, Integer> cores =
        account.cores(pools.stream().map(AwsSettings.Offered::instanceType).distinct().toList());
    Map<String, Double> needs = new TreeMap<>();
    Map<String, AwsAccount.Quota> quotas = new TreeMap<>();
    for (AnyZone.Wanted each : wanted) {
      String type = pools.get(each.pools().get(0)).instanceType();
      AwsAccount.Quota quota = AwsAccount.Quota.of(type, each.market() == Market.SPOT);
      quotas.put(quota.code(), quota);
      double need = (double) each.count() * cores.getOrDefault(type, 0);
      needs.merge(quota.code(), need, Double::sum);
    }
    for (AwsAccount.Quota quota : quotas.values()) {
      double most = account.quota(quota);
      double need = needs.getOrDefault(quota.code(), 0.0);
      if (need > most) {
        throw new BadInput(
            "The plan needs %.0f vCPUs, and the quota '%s' (%s) is %.0f in %s."
                .formatted(need, quota.name(), quota.code(), most, region),
            "Maybe ask AWS for more under Service Quotas, or plan smaller.");
      }
    }
  }

  /** Returns how many nodes are wanted in all. */
  int nodes() {
    return wanted.stream().mapToInt(AnyZone.Wanted::count).sum();
  }

  /** Whether EC2 asks for clearly more than the plan said. */
  boolean isDearer() {
    return usdPerHour > DRIFT * plannedUsdPerHour;
  }
}
