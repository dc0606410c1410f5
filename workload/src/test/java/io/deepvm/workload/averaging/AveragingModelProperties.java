package io.deepvm.workload.averaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.Money;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class AveragingModelProperties {

  private static final CatalogNetwork WORLD = new CatalogNetwork();

  @Provide
  Arbitrary<List<PeerGroup>> clusters() {
    return Peers.clusters();
  }

  @Provide
  Arbitrary<TrainedModel> models() {
    return Peers.models();
  }

  private static double speed(
      TrainedModel model, Network network, Protocol protocol, List<PeerGroup> groups, int batch) {
    return new AveragingModel(model, network, protocol).forecast(groups, batch).samplesPerSecond();
  }

  @Property(tries = 300, seed = "20261115")
  void moreBandwidthIsNeverSlower(
      @ForAll("models") TrainedModel model,
      @ForAll("clusters") List<PeerGroup> groups,
      @ForAll @DoubleRange(min = 1, max = 5000) double mbps,
      @ForAll @DoubleRange(min = 1, max = 10) double times,
      @ForAll Topology topology) {
    Protocol protocol = Protocol.USUAL.withTopology(topology);
    assertThat(speed(model, Peers.uniform(mbps * times), protocol, groups, 32768))
        .isGreaterThanOrEqualTo(speed(model, Peers.uniform(mbps), protocol, groups, 32768));
  }

  @Property(tries = 300, seed = "20261115")
  void moreStreamsAreNeverSlower(
      @ForAll("models") TrainedModel model,
      @ForAll("clusters") List<PeerGroup> groups,
      @ForAll @IntRange(min = 1, max = 79) int streams,
      @ForAll Topology topology) {
    Protocol protocol = Protocol.USUAL.withTopology(topology).withStreams(streams);
    assertThat(speed(model, WORLD, protocol.withStreams(streams + 1), groups, 32768))
        .isGreaterThanOrEqualTo(speed(model, WORLD, protocol, groups, 32768));
  }

  @Property(tries = 300, seed = "20261115")
  void aLargerTargetBatchNeverLowersGranularityNorSpeed(
      @ForAll("models") TrainedModel model,
      @ForAll("clusters") List<PeerGroup> groups,
      @ForAll @IntRange(min = 1, max = 60000) int batch,
      @ForAll @IntRange(min = 0, max = 5000) int more) {
    AveragingModel averaging = new AveragingModel(model, WORLD, Protocol.USUAL);
    Forecast small = averaging.forecast(groups, batch);
    Forecast large = averaging.forecast(groups, batch + more);
    assertThat(large.granularity()).isGreaterThanOrEqualTo(small.granularity() * (1 - 1e-12));
    assertThat(large.samplesPerSecond())
        .isGreaterThanOrEqualTo(small.samplesPerSecond() * (1 - 1e-12));
  }

  @Property(tries = 300, seed = "20261115")
  void fewerBitsAndOverlapAreNeverSlower(
      @ForAll("models") TrainedModel model, @ForAll("clusters") List<PeerGroup> groups) {
    Protocol fp16 = Protocol.USUAL;
    double usual = speed(model, WORLD, fp16, groups, 32768);
    assertThat(speed(model, WORLD, fp16.withCompression(Compression.INT8), groups, 32768))
        .isGreaterThanOrEqualTo(usual);
    assertThat(speed(model, WORLD, fp16.withCompression(Compression.FP32), groups, 32768))
        .isLessThanOrEqualTo(usual);
    assertThat(speed(model, WORLD, fp16.withOverlap(true), groups, 32768))
        .isGreaterThanOrEqualTo(usual);
  }

  @Property(tries = 300, seed = "20261115")
  void neverFasterThanAllPeersWithoutAveraging(
      @ForAll("models") TrainedModel model,
      @ForAll("clusters") List<PeerGroup> groups,
      @ForAll @IntRange(min = 1, max = 100_000) int batch) {
    assertThat(speed(model, WORLD, Protocol.USUAL, groups, batch))
        .isLessThanOrEqualTo(AveragingModel.rate(groups));
  }

  @Property(tries = 300, seed = "20261115")
  void moneyIsConserved(
      @ForAll("models") TrainedModel model,
      @ForAll("clusters") List<PeerGroup> groups,
      @ForAll Topology topology) {
    Forecast forecast =
        new AveragingModel(model, WORLD, Protocol.USUAL.withTopology(topology))
            .forecast(groups, 32768);
    Money sum = forecast.machinesPerHour();
    for (Route route : forecast.routes()) {
      sum = sum.plus(route.perHour());
    }
    assertThat(forecast.pricePerHour()).isEqualTo(sum);
    double exact = forecast.exchange().dollars() * 3600 / forecast.roundSeconds();
    assertThat(forecast.egressPerHour().dollars())
        .isCloseTo(exact, within(1e-6 * (1 + forecast.routes().size())));
    assertThat(forecast.dollarsPerMillion())
        .isCloseTo(
            forecast.perMillion(forecast.machinesPerHour())
                + forecast.perMillion(forecast.egressPerHour()),
            within(1e-9 * forecast.dollarsPerMillion()));
  }

  @Property(tries = 300, seed = "20261115")
  void everyPeerSendsTheButterflysShare(
      @ForAll("models") TrainedModel model, @ForAll("clusters") List<PeerGroup> groups) {
    Exchange exchange = new AveragingModel(model, WORLD, Protocol.USUAL).exchange(groups);
    double sent = exchange.traffic().stream().mapToDouble(Exchange.Traffic::bytes).sum();
    double theory = 2.0 * (exchange.peers() - 1) * model.parameters() * 2;
    assertThat(sent / theory).isCloseTo(Coefficients.STUDY.trafficOverhead(), within(1e-9));
  }

  @Property(tries = 200, seed = "20261115")
  void splittingAGroupChangesNothing(
      @ForAll("models") TrainedModel model, @ForAll("clusters") List<PeerGroup> groups) {
    List<PeerGroup> split = new ArrayList<>();
    for (PeerGroup group : groups) {
      for (int i = 0; i < group.count(); i++) {
        split.add(new PeerGroup(group.peer(), 1));
      }
    }
    assertThat(speed(model, WORLD, Protocol.USUAL, split, 32768))
        .isCloseTo(speed(model, WORLD, Protocol.USUAL, groups, 32768), within(1e-6));
  }

  @Property(tries = 300, seed = "20261115")
  void theAskedGranularityIsReachedAndNotBySamplesToSpare(
      @ForAll("models") TrainedModel model,
      @ForAll("clusters") List<PeerGroup> groups,
      @ForAll @DoubleRange(min = 0.2, max = 20) double granularity) {
    AveragingModel averaging = new AveragingModel(model, WORLD, Protocol.USUAL);
    int batch = new Questions(averaging).targetBatch(groups, granularity);
    assertThat(averaging.forecast(groups, batch).granularity())
        .isGreaterThanOrEqualTo(granularity * (1 - 1e-9));
    if (batch > 3) {
      assertThat(averaging.forecast(groups, batch - 3).granularity()).isLessThan(granularity);
    }
  }
}
