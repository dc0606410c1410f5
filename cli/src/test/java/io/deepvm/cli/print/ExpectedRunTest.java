package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.planner.Plan;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.forecast.LikelyMarkets.Kind;
import io.deepvm.simulator.forecast.RunForecast;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a plan promises says what it stands on, and how far it may be off. */
class ExpectedRunTest {

  private static final Plan PLAN = Samples.plan(4, 3600.0, Money.parse("2"));
  private static final RunForecast FORECAST =
      new RunForecast(
          new RunForecast.Spread(5000, 4000, 9000),
          new RunForecast.Spread(3, 2, 4),
          1,
          100_000,
          0.7,
          Map.of());

  private static ExpectedRun run(Kind kind) {
    return new ExpectedRun(
        FORECAST, kind, "a-record", NodeLoad.NONE, new RunForecast.Range(0.4, 0.9));
  }

  @Test
  void theHeadlineSaysWhoseLossesTheyAreUnlessTheyAreThePlansOwn() {
    String figures = "About 1 h 23 min and $3.00, 80 % between 1 h 7 min and 2 h 30 min";
    assertThat(run(Kind.BORROWED).sentence(PLAN))
        .startsWith(figures)
        .endsWith(" Losses are borrowed from a-record.");
    assertThat(run(Kind.BAND).sentence(PLAN)).endsWith("Losses are a stated band, a-record.");
    assertThat(run(Kind.RECORDED).sentence(PLAN)).startsWith(figures).doesNotContain("Losses");
  }

  @Test
  void theShareOfRunsInTimeHasARange() {
    assertThat(run(Kind.RECORDED).reasons(PLAN, 6000.0))
        .anySatisfy(
            reason ->
                assertThat(reason)
                    .contains("70 % of runs meet the deadline", "(40 % to 90 %, by how far nodes"));
    assertThat(run(Kind.BORROWED).reasons(PLAN, 6000.0))
        .anySatisfy(
            reason -> assertThat(reason).contains("by the zone that losses are borrowed from"));
    assertThat(run(Kind.RECORDED).reasons(PLAN, null))
        .noneSatisfy(reason -> assertThat(reason).contains("deadline"));
  }

  @Test
  void anAssumedShareOfFailedNoticesIsCalledAnAssumption() {
    UnannouncedLosses assumed = UnannouncedLosses.of("aws");
    assertThat(LossAssumptions.withoutNotice(Map.of("aws", assumed)))
        .contains("5 % of revocations on aws", "The 5 % is our assumption");
    assertThat(LossAssumptions.withoutNotice(Map.of("aws", assumed.withShare(0.2))))
        .contains("20 % of revocations on aws")
        .doesNotContain("our assumption");
  }

  @Test
  void everyPlanButTheFirstHasItsLineAboutTheMarketBelowTheTable() {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    new PlanTable(writer, new Paint(false))
        .print(
            Samples.planning(
                Samples.plan(17, null, null).withReason("Market: spot saves 9 %."),
                Samples.plan(9, null, null).withReason("Market: spot saves 8 %."),
                Samples.plan(3, null, null)),
            Samples.CATALOG,
            Map.of());
    writer.flush();
    assertThat(out.toString())
        .contains("- Market: spot saves 9 %.")
        .endsWith("%nMarket of the others:%n- 2: spot saves 8 %%.%n".formatted());
  }
}
