package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.cli.run.RunForecasting.Foreseen;
import io.deepvm.page.watch.Forecast;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Timeline.Spent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunForecastingTest {

  private static final double NO_DEADLINE = Double.POSITIVE_INFINITY;

  @Test
  void figuresAreOfTheRunsThatWereDoneAndTheOthersAreNamed() {
    List<Foreseen> runs = new ArrayList<>();
    for (int i = 0; i <= 10; i++) {
      runs.add(run(true, 1000 + 100 * i, 10 + i));
    }
    Forecast done = RunForecasting.of(runs, NO_DEADLINE);
    assertThat(done.basis()).isEqualTo("11 simulated runs on the market that is played.");
    assertThat(done.usd()).isEqualTo(new Forecast.Spread(11, 15, 19));
    assertThat(done.seconds()).isEqualTo(new Forecast.Spread(1100, 1500, 1900));
    assertThat(done.lostNodes()).isEqualTo(new Forecast.Spread(2, 2, 2));
    assertThat(done.deadlineSeconds()).isNull();

    // Runs that were given up cost little or much; neither belongs into the figures.
    for (int i = 0; i < 11; i++) {
      runs.add(run(false, 90_000, i % 2 == 0 ? 0.5 : 500));
    }
    Forecast mixed = RunForecasting.of(runs, 3600);
    assertThat(mixed.usd()).isEqualTo(done.usd());
    assertThat(mixed.seconds()).isEqualTo(done.seconds());
    assertThat(mixed.band()).isEqualTo(done.band());
    assertThat(mixed.basis()).contains("22 simulated runs", "50 % were not done, and are left out");
    assertThat(mixed.deadlineSeconds()).isEqualTo(3600);
  }

  @Test
  void theBandGrowsWithWhatWasSpentAndStaysAfterTheEnd() {
    Forecast forecast =
        RunForecasting.of(List.of(run(true, 1000, 10), run(true, 2000, 20)), NO_DEADLINE);
    List<Forecast.Moment> band = forecast.band();
    assertThat(band.get(0)).isEqualTo(new Forecast.Moment(0, new Forecast.Spread(0, 0, 0)));
    Forecast.Moment last = band.get(band.size() - 1);
    assertThat(last.atSeconds()).isEqualTo(2000);
    assertThat(last.usd().low()).isEqualTo(10);
    assertThat(last.usd().high()).isEqualTo(20);
    for (int i = 1; i < band.size(); i++) {
      assertThat(band.get(i).usd().high()).isGreaterThanOrEqualTo(band.get(i - 1).usd().high());
    }
  }

  @Test
  void aForecastWhoseRunsWereAllGivenUpSaysSo() {
    Forecast forecast = RunForecasting.of(List.of(run(false, 9000, 3)), NO_DEADLINE);
    assertThat(forecast.usd()).isNull();
    assertThat(forecast.band()).isEmpty();
    assertThat(forecast.basis()).endsWith("none was done.");
  }

  /** A run that spends evenly. */
  private static Foreseen run(boolean finished, double seconds, double usd) {
    Outcome outcome =
        new Outcome(
            finished,
            seconds,
            finished,
            Money.of(BigDecimal.valueOf(usd)),
            Map.of(),
            Map.of(),
            Map.of(),
            2,
            3,
            4);
    List<Spent> spent = new ArrayList<>();
    for (int i = 0; i <= 10; i++) {
      spent.add(new Spent(seconds * i / 10, usd * i / 10));
    }
    return new Foreseen(outcome, spent);
  }
}
