package io.deepvm.simulator.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Dependence;
import io.deepvm.market.Markets;
import io.deepvm.market.Pool;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.planner.MemberRates;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.forecast.LikelyMarkets.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LikelyMarketsTest {

  @TempDir Path folder;

  private static PlannedRun run(String type, Market market) {
    return run(type, market, "usw2-az1");
  }

  private static PlannedRun run(String type, Market market, String... zones) {
    Money spot = Money.parse("0.4");
    Money onDemand = Money.parse("1");
    Money price = market == Market.SPOT ? spot : onDemand;
    int each = 2 / zones.length;
    return new PlannedRun(
        "tiering",
        Stream.of(zones)
            .map(zone -> new Pool(new Place("aws", "us-west-2", zone), type))
            .map(pool -> new PlannedRun.Group(pool, market, each, false, price, onDemand, 1, 1.0))
            .toList(),
        PlannedRun.Helpers.NONE,
        new MemberRates(new double[] {0.5, 1}),
        10 * 3600.0,
        new Checkpointing(DataSize.ofGb(1), true, 0.2, 2, 2, true, true, SaveRule.every(600)),
        NodeLoad.NONE,
        null);
  }

  private static RunForecast forecast(LikelyMarkets.Setting setting) {
    return Forecaster.of(setting.stages(), Dependence.MEASURED, UnannouncedLosses::of);
  }

  private static LikelyMarkets.Setting setting(
      String type, Market market, @Nullable Interruptions stated) {
    return new LikelyMarkets(stated).of(run(type, market));
  }

  @Test
  void recordOfTheOwnPoolIsBest() {
    LikelyMarkets.Setting setting = setting("p3.2xlarge", Market.SPOT, null);

    assertThat(setting.kind()).isEqualTo(Kind.RECORDED);
    assertThat(setting.stages()).hasSize(1);
    // The plan's price, moving as it was recorded to.
    assertThat(forecast(setting).usd().mean()).isCloseTo(8, withPercentage(15));
  }

  @Test
  void poolWithoutARecordIsLikeTheRecordedOnes() {
    LikelyMarkets.Setting setting = setting("g5.xlarge", Market.SPOT, null);

    assertThat(setting.kind()).isEqualTo(Kind.BORROWED);
    assertThat(setting.stages()).hasSize(3);
    assertThat(forecast(setting).seconds().mean()).isGreaterThan(11 * 3600);
  }

  @Test
  void statedBandIsBetterThanAnotherPoolsRecord() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("spotlake.csv"),
            "InstanceType,Region,AZ,IF\ng5.xlarge,us-west-2,usw2-az1,1\n");
    Interruptions stated = Markets.interruptions(file);
    LikelyMarkets.Setting setting = setting("g5.xlarge", Market.SPOT, stated);

    assertThat(setting.kind()).isEqualTo(Kind.BAND);
    assertThat(setting.record()).isEqualTo("more than 20 % a month (spotlake)");
    // A node is lost every 2,047 h: ten hours are hardly longer than on paper.
    assertThat(forecast(setting).seconds().mean()).isBetween(36_000.0, 1.05 * 36_000);
    assertThat(setting("p3.2xlarge", Market.SPOT, stated).kind()).isEqualTo(Kind.RECORDED);
  }

  @Test
  void zonesWithoutARecordComeAndGoForThemselves() {
    LikelyMarkets.Setting setting =
        new LikelyMarkets(null).of(run("g5.xlarge", Market.SPOT, "usw2-az1", "usw2-az2"));

    assertThat(setting.stages()).hasSize(3);
    for (Stage stage : setting.stages()) {
      assertThat(stage.traces().get(0).available()).isNotEqualTo(stage.traces().get(1).available());
    }
  }

  @Test
  void eachPoolHasItsOwnBand() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("spotlake.csv"),
            """
            InstanceType,Region,AZ,IF
            g5.xlarge,us-west-2,usw2-az1,1
            g5.xlarge,us-west-2,usw2-az2,3
            """);
    Interruptions stated = Markets.interruptions(file);
    LikelyMarkets markets = new LikelyMarkets(stated);

    assertThat(markets.of(run("g5.xlarge", Market.SPOT, "usw2-az1", "usw2-az2")).record())
        .isEqualTo("more than 20 % a month or 0 % to 5 % a month (spotlake)");
    assertThat(markets.of(run("g5.xlarge", Market.SPOT, "usw2-az1", "usw2-az3")).record())
        .contains("1 of 2 pools, the others like recorded ones");
  }

  @Test
  void nodesOnDemandOnlyBootAndCrash() {
    LikelyMarkets.Setting setting = setting("g5.xlarge", Market.ON_DEMAND, null);
    RunForecast forecast = forecast(setting);

    assertThat(setting.kind()).isEqualTo(Kind.NO_SPOT);
    assertThat(forecast.doneShare()).isEqualTo(1);
    // 65 s to start, 0.2 s of stall every 600 s, and crashes of next to nothing.
    assertThat(forecast.seconds().mean()).isCloseTo(36_000 + 65 + 12, withPercentage(0.1));
    assertThat(forecast.usd().mean()).isCloseTo(20, withPercentage(0.5));
  }
}
