package io.deepvm.planner;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PartialClustersTest {

  private static final Job XLM =
      JobFile.read(
          Path.of(System.getProperty("deepvm.root", ".."), "examples", "roberta-xlm.yaml"));

  private static NodeGroup peers(String region) {
    Offer offer =
        Catalogs.load(Catalogs.DEFAULT).listings().stream()
            .filter(l -> l.machine().name().equals("n1-standard-16+4xT4"))
            .filter(l -> region.equals(l.place().region()))
            .map(l -> l.offer(Market.SPOT))
            .filter(Objects::nonNull)
            .findFirst()
            .orElseThrow();
    return new NodeGroup(Role.WORKER, offer, 2);
  }

  private static MemberRates rates(String... regions) {
    List<NodeGroup> nodes = Arrays.stream(regions).map(PartialClustersTest::peers).toList();
    Prediction unknown = new Prediction(1, null, null, null, Money.ZERO, null, null);
    Plan plan =
        new Plan("averaging", nodes, Money.ZERO, Objective.THROUGHPUT, 0, 0.0, unknown, List.of());
    return PartialClusters.of(XLM, plan);
  }

  @Test
  void peersOfTwoRegionsPayForTheirTraffic() {
    double[] traffic = rates("us-central1", "us-east1").trafficUsdPerHour();

    assertThat(traffic).hasSize(4);
    assertThat(traffic[0]).isZero();
    // One of each region is left: the link between the regions is still paid for.
    assertThat(traffic[1]).isGreaterThan(1);
    assertThat(traffic[3]).isGreaterThan(1);
  }

  @Test
  void peersOfSeveralGpusLoseWhatTheirHostCosts() {
    NodeGroup one = new NodeGroup(Role.WORKER, peers("us-central1").offer(), 1);
    GivenCluster cluster =
        new GivenCluster("averaging", List.of(new GivenCluster.Group(one, null)));
    ClusterForecast forecast = Architectures.family("averaging").predict(XLM, cluster);
    double speed = forecast.findings().get(0).value();

    // one T4 trains 139.2 samples/s; four share a host, and sum gradients once a round
    assertThat(speed).isBetween(3.2 * 139.2, 3.75 * 139.2);
    assertThat(forecast.assumptions())
        .anyMatch(line -> line.startsWith("4 GPUs of a machine taken as fast as 3."));
  }

  @Test
  void peersOfOneZonePayForNoTraffic() {
    assertThat(rates("us-central1").trafficUsdPerHour()).containsOnly(0);
  }
}
