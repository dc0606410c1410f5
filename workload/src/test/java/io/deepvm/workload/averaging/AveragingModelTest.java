package io.deepvm.workload.averaging;

import static io.deepvm.workload.averaging.Peers.EU;
import static io.deepvm.workload.averaging.Peers.SYDNEY;
import static io.deepvm.workload.averaging.Peers.US;
import static io.deepvm.workload.averaging.Peers.XLM;
import static io.deepvm.workload.averaging.Peers.t4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.workload.averaging.Exchange.Traffic;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AveragingModelTest {

  private static final CatalogNetwork WORLD = new CatalogNetwork();
  private static final AveragingModel MODEL = new AveragingModel(XLM, WORLD, Protocol.USUAL);

  @Test
  void theEightPeersOnFourContinentsWaitForSydney() {
    Forecast forecast = MODEL.forecast(Peers.fourContinents(), 32768);
    Exchange.Bottleneck slowest = Objects.requireNonNull(forecast.bottleneck());
    assertThat(List.of(slowest.from(), slowest.to())).containsExactlyInAnyOrder(EU, SYDNEY);
    // Measured: 341 samples/s, granularity 0.64, 97.6 % of the price for traffic.
    assertThat(forecast.samplesPerSecond()).isCloseTo(341, within(50.0));
    assertThat(forecast.granularity()).isBetween(0.5, 1.0);
    assertThat(forecast.egressShare()).isCloseTo(0.976, within(0.01));
    assertThat(forecast.warnings()).hasSize(2);
    assertThat(new Questions(MODEL).suitability(Peers.fourContinents(), 32768))
        .isEqualTo(Questions.Suitability.POOR);
  }

  @Test
  void waitingForMatchmakingIsNoCalculating() {
    // Whisper tiny on eight T4: calculated in 2 s, while matchmaking takes 15.
    TrainedModel whisper = new TrainedModel("WhisperTiny", 37.8e6, 167);
    AveragingModel model = new AveragingModel(whisper, WORLD, Protocol.USUAL.withMatchmaking(15));
    Peer t4 = new Peer("T4", US, 15.0, HostClass.SMALL, Money.parse("0.18"), null);
    List<PeerGroup> eight = List.of(new PeerGroup(t4, 8));

    Forecast forecast = model.forecast(eight, 256);

    assertThat(forecast.readySeconds() / forecast.communicationSeconds()).isGreaterThan(2.5);
    assertThat(forecast.granularity()).isLessThan(0.5);
    Questions questions = new Questions(model);
    assertThat(questions.suitability(eight, 256)).isEqualTo(Questions.Suitability.POOR);
    assertThat(questions.morePeersHelp(eight, 256)).isFalse();
  }

  @Test
  void averagingLocallyFirstHalvesTheTrafficBetweenContinents() {
    double mesh = betweenContinents(MODEL);
    double first =
        betweenContinents(
            new AveragingModel(XLM, WORLD, Protocol.USUAL.withTopology(Topology.LOCAL_FIRST)));
    double gradient = 2 * XLM.parameters() * Coefficients.STUDY.trafficOverhead();
    assertThat(mesh / gradient).isCloseTo(12, within(1e-9));
    assertThat(first / gradient).isCloseTo(6, within(1e-9));
  }

  private static double betweenContinents(AveragingModel model) {
    return model.exchange(Peers.fourContinents()).traffic().stream()
        .filter(each -> !each.from().equals(each.to()))
        .mapToDouble(Traffic::bytes)
        .sum();
  }

  @Test
  void aPeerAloneNeitherWaitsNorSends() {
    Forecast forecast = MODEL.forecast(List.of(t4(US, 1)), 32768);
    assertThat(forecast.samplesPerSecond()).isCloseTo(120.8, within(1e-9));
    assertThat(forecast.granularity()).isInfinite();
    assertThat(forecast.pricePerHour()).isEqualTo(Money.parse("0.18"));
  }

  @Test
  void saysWhichDefaultStoodInForAWire() {
    Place small = new Place("vast", "Norway EU", null);
    Forecast forecast = MODEL.forecast(List.of(t4(EU, 1), t4(small, 1)), 32768);
    assertThat(forecast.assumptions())
        .anyMatch(
            text ->
                text.contains("gcp/europe-west1 to vast/Norway EU")
                    && text.contains("round trip of 51 ms, usual inside a continent"))
        .anyMatch(text -> text.contains("price not known, $0.12/GB assumed"));
  }

  @Test
  void takesTheRoundTripOfTheContinentsForOtherClouds() {
    Link link =
        WORLD.between(new Place("aws", "ca-west-1", null), new Place("aws", "eu-west-1", null));
    assertThat(link.kind()).isEqualTo(LinkKind.BACKBONE);
    assertThat(link.stream().mbps()).isCloseTo(21_000 / 103.1, within(0.1));
    assertThat(link.egressPerGb()).isEqualTo(Money.parse("0.05"));
    assertThat(link.assumption()).contains("measured between Google's regions");
  }

  @Test
  void takesTheMeasuredRoundTripBetweenTwoRegions() {
    Link link =
        WORLD.between(new Place("aws", "us-east-1", null), new Place("aws", "eu-west-1", null));
    assertThat(link.stream().mbps()).isBetween(21_000 / 100.0, 21_000 / 60.0);
    assertThat(link.assumption()).contains("from its round trip of");
    assertThat(link.many()).isNotNull();
  }

  @Test
  void manyStreamsCarryNoMoreThanManyStreamsDid() {
    Place from = new Place("aws", "us-east-1", null);
    Place to = new Place("aws", "eu-west-1", null);
    double most = Objects.requireNonNull(WORLD.between(from, to).many()).mbps();
    AveragingModel wide = new AveragingModel(XLM, WORLD, Protocol.USUAL.withStreams(1000));
    double seconds = wide.exchange(List.of(t4(from, 1), t4(to, 1))).linkSeconds();
    double ideal = 16 * XLM.parameters() / (most * 1e6);
    assertThat(seconds).isCloseTo(Coefficients.STUDY.backbone() * ideal, within(1e-6));
  }

  @Test
  void addingAFarPeerSlowsAModelThatCommunicatesMuch() {
    Questions questions = new Questions(MODEL);
    Questions.Addition near = questions.adding(List.of(t4(US, 4)), t4(US, 4), 32768);
    assertThat(near.helps()).isTrue();
    Questions.Addition far = questions.adding(List.of(t4(US, 8)), t4(SYDNEY, 1), 32768);
    assertThat(far.helps()).isFalse();
    assertThat(far.dollarsPerAddedMillion()).isInfinite();
    assertThat(far.addedDollarsPerMillion()).isPositive();
  }

  @Test
  void oneBiggerMachineWinsBelowItsBreakEvenPrice() {
    Questions questions = new Questions(MODEL);
    Peer dgx = new Peer("DGX-2", US, 1138, HostClass.LARGE, Money.parse("6.30"), null);
    Questions.Comparison comparison = questions.against(List.of(t4(US, 8)), dgx, 32768);
    Money even = Money.of(BigDecimal.valueOf(comparison.breakEvenDollarsPerHour() - 0.01));
    Peer cheaper = new Peer("DGX-2", US, 1138, HostClass.LARGE, even, null);
    assertThat(comparison.machineWins()).isFalse();
    assertThat(questions.against(List.of(t4(US, 8)), cheaper, 32768).machineWins()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1_000_000})
  void refusesABandwidthThatIsNotPositive(long bitsPerSecond) {
    assertThatThrownBy(() -> Peers.oneLink(new Bandwidth(bitsPerSecond)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("is not above 0");
  }

  @Test
  void refusesAPlaceThatWasNotMeasured() {
    Network two = MeasuredNetwork.of(Peers.oneLink(Bandwidth.ofMbps(210)));
    assertThat(two.between(EU, US).stream().mbps()).isEqualTo(210);
    assertThatThrownBy(() -> two.between(US, new Place("gcp", "europe-west", null)))
        .asInstanceOf(InstanceOfAssertFactories.type(BadInput.class))
        .satisfies(
            bad -> {
              assertThat(bad).hasMessageContaining("gcp/us-central1 to gcp/europe-west ");
              assertThat(bad.wayOut()).isEqualTo("Maybe you meant 'gcp/europe-west1'.");
            });
  }

  @Test
  void refusesWhatCannotBeTrained() {
    assertThatThrownBy(() -> MODEL.forecast(List.of(), 32768)).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> MODEL.forecast(List.of(t4(US, 2)), 0)).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> t4(US, 0)).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> new TrainedModel("none", 0, 1)).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> Protocol.USUAL.withStreams(0)).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> AveragingFit.fit(List.of(), Coefficients.STUDY))
        .isInstanceOf(BadInput.class);
  }

  @Test
  void accumulatingCostsTheTimeOfTheGpusMemory() {
    // 20 B x 560.1 M / 320 GB/s = 35 ms on top of 32 samples at 139.2/s.
    assertThat(AccumulatedRate.of(139.2, 32, 320e9, XLM)).isCloseTo(120.8, within(0.1));
  }

  @Test
  void saysWhereAQuestionGoesBeyondTheMeasuredRuns() {
    Protocol other = Protocol.USUAL.withStreams(4).withCompression(Compression.INT8);
    assertThat(new AveragingModel(XLM, WORLD, other).forecast(List.of(t4(US, 16)), 32768))
        .extracting(Forecast::assumptions, InstanceOfAssertFactories.list(String.class))
        .containsExactly(
            "beyond the measured runs: 16 peers, where 2 to 9 were measured",
            "beyond the measured runs: int8 gradients, where fp16 was measured",
            "beyond the measured runs: 4 streams, where one was measured");
    assertThat(MODEL.forecast(List.of(t4(US, 8)), 32768).assumptions()).isEmpty();
  }

  @Test
  void sensitivitiesOfPeersBatchAndLinksAddUpAsUnitsDemand() {
    List<Sensitivity> all =
        Sensitivity.of(
            XLM, WORLD, Protocol.USUAL, Coefficients.STUDY, Peers.fourContinents(), 32768);
    assertThat(all).extracting(Sensitivity::input).hasSize(5).doesNotHaveDuplicates();
    double bandwidth = elasticity(all, "bandwidth of the links");
    Forecast forecast = MODEL.forecast(Peers.fourContinents(), 32768);
    assertThat(bandwidth)
        .isCloseTo(forecast.exchange().linkSeconds() / forecast.roundSeconds(), within(0.01));
    // Samples/s = batch / (batch / rate + rest): what the batch gains, the rate does not.
    assertThat(elasticity(all, "target batch size") + elasticity(all, "speed of the peers"))
        .isCloseTo(1, within(0.01));
    assertThat(elasticity(all, "parameters")).isNegative();
  }

  private static double elasticity(List<Sensitivity> all, String input) {
    return all.stream()
        .filter(each -> each.input().equals(input))
        .mapToDouble(Sensitivity::elasticity)
        .findFirst()
        .orElseThrow();
  }
}
