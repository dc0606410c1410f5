package io.deepvm.workload.averaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.workload.fit.RoundFit;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BuiltInTrainerTest {

  private static final BuiltInTrainer TRAINER = new BuiltInTrainer(4, 0.02, 0.005, 1.1);
  private static final Place HERE = new Place("local", "here", null);

  /** Peers that take so many seconds for a micro-batch of 4. */
  private static List<PeerGroup> peers(double... microBatchSeconds) {
    return Arrays.stream(microBatchSeconds)
        .mapToObj(
            seconds ->
                new PeerGroup(
                    new Peer(
                        "p", HERE, 4 / seconds, HostClass.SMALL, Money.ZERO, Bandwidth.ofMbps(100)),
                    1))
        .toList();
  }

  @Test
  void equalPeersShareEvenly() {
    assertThat(TRAINER.calculationSeconds(peers(1, 1), 24)).isCloseTo(3, within(1e-9));
    assertThat(TRAINER.calculationSeconds(peers(1, 1), 28)).isCloseTo(4, within(1e-9));
    // A part of a micro-batch takes as long as a whole one.
    assertThat(TRAINER.calculationSeconds(peers(1, 1), 25)).isCloseTo(4, within(1e-9));
  }

  @Test
  void aSlowPeerTakesWhatOthersAreNotDoneWithBefore() {
    assertThat(TRAINER.calculationSeconds(peers(1, 4), 16)).isCloseTo(4, within(1e-9));
    assertThat(TRAINER.calculationSeconds(peers(1, 4.5), 48)).isCloseTo(10, within(1e-9));
    assertThat(TRAINER.calculationSeconds(peers(1, 100), 48)).isCloseTo(12, within(1e-9));
  }

  @Test
  void whoGetsNoneWaits() {
    assertThat(TRAINER.calculationSeconds(peers(1, 1, 1), 8)).isCloseTo(1, within(1e-9));
  }

  @Test
  void aRoundIsCalculatingProcessingAndSending() {
    // A million parameters of 4 bytes; two peers send 32 Mbit each: 0.32 s, times 1.1.
    AveragingModel model =
        new AveragingModel(
            new TrainedModel("m", 1e6, 4),
            (from, to) -> new Link(LinkKind.LOCAL, Bandwidth.ofMbps(100), Money.ZERO, ""),
            Protocol.builtIn(Compression.FP32, TRAINER));
    Forecast forecast = model.forecast(peers(0.1, 0.1), 24);
    assertThat(forecast.readySeconds()).isCloseTo(0.3, within(1e-9));
    assertThat(forecast.communicationSeconds()).isCloseTo(0.02 + 0.005 + 0.352, within(1e-9));
    assertThat(forecast.samplesPerSecond()).isCloseTo(24 / 0.677, within(1e-9));
    assertThat(forecast.granularity()).isCloseTo(0.3 / 0.377, within(1e-9));
    // One alone takes the step all the same.
    assertThat(model.forecast(peers(0.1), 24).roundSeconds()).isCloseTo(0.62, within(1e-9));
  }

  @Test
  void theFitFindsWhatTheRoundsWereMadeOf() {
    RoundFit found =
        RoundFit.of(
            List.of(
                new RoundFit.Point(2, 0.1, 0.02 + 0.005 + 0.11),
                new RoundFit.Point(2, 0.5, 0.02 + 0.005 + 0.55),
                new RoundFit.Point(4, 0.1, 0.02 + 0.015 + 0.11),
                new RoundFit.Point(4, 0.4, 0.02 + 0.015 + 0.44)));
    assertThat(found.stepSeconds()).isCloseTo(0.02, within(1e-6));
    assertThat(found.peerSeconds()).isCloseTo(0.005, within(1e-6));
    assertThat(found.wire()).isCloseTo(1.1, within(1e-6));
  }

  @Test
  void refusesRoundsThatTakeLessThanNothing() {
    assertThatThrownBy(() -> new BuiltInTrainer(4, -1, 0, 1)).isInstanceOf(BadInput.class);
  }
}
