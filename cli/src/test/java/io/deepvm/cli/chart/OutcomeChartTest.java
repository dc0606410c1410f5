package io.deepvm.cli.chart;

import static io.deepvm.cli.chart.Runs.NO_DEADLINE;
import static io.deepvm.cli.chart.Runs.market;
import static io.deepvm.cli.chart.Runs.sample;
import static io.deepvm.cli.chart.Runs.scenario;
import static io.deepvm.cli.chart.Runs.svg;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.chart.OutcomeChart.Entry;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.policy.OnDemandOnly;
import io.deepvm.simulator.policy.SpotOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutcomeChartTest {

  private static final SpotMarket MARKET = market(t -> t % 40 > 30 ? 0 : t % 7 < 4 ? 4 : 2);
  private static final double DEADLINE = 13 * 3600;

  @TempDir private Path folder;

  @Test
  void policiesStandBesideEachOther() throws IOException {
    Scenario scenario = scenario(4, 10, DEADLINE, Recovery.SURVIVORS);
    List<Entry> entries =
        List.of(
            new Entry("on-demand", sample(MARKET, scenario, OnDemandOnly::new, 30)),
            new Entry("spot", sample(MARKET, scenario, SpotOnly::new, 30)));
    assertThat(entries.get(1).sample().missed()).isPositive();
    String drawn = svg(new OutcomeChart(entries, 80.0, DEADLINE, "Policies"), folder);
    assertThat(drawn)
        .contains(">on-demand<", ">spot<", ">deadline<", ">bound<", ">median<", ">mean<")
        .contains(">$%.0f<".formatted(entries.get(0).sample().meanUsd()), " late<");
    assertThat(svg(new OutcomeChart(entries, 80.0, DEADLINE, "Policies"), folder)).isEqualTo(drawn);
  }

  @Test
  void onePolicyIsACurve() throws IOException {
    Scenario scenario = scenario(4, 10, DEADLINE, Recovery.SURVIVORS);
    Entry entry = new Entry("spot", sample(MARKET, scenario, SpotOnly::new, 30));
    assertThat(svg(new OutcomeChart(List.of(entry), null, DEADLINE, "Spot"), folder))
        .contains(">Share of runs (%)<", ">deadline<", ">mean<", "30 runs of spot, on average $")
        .doesNotContain(">bound<", ">median<");
  }

  @Test
  void equalRunsAndABoundThatCannotBeReachedAreDrawn() throws IOException {
    Scenario scenario = scenario(1, 1, NO_DEADLINE, Recovery.SURVIVORS);
    Entry entry = new Entry("on-demand", sample(MARKET, scenario, OnDemandOnly::new, 1));
    double unreachable = Double.POSITIVE_INFINITY;
    assertThat(svg(new OutcomeChart(List.of(entry), unreachable, NO_DEADLINE, "One"), folder))
        .contains("1 run of on-demand")
        .doesNotContain(">bound<", ">deadline<", "NaN", "Infinity");
  }

  @Test
  void runsThatWereNotDoneAreStatedAndLeaveNoBar() throws IOException {
    Scenario scenario = scenario(4, 10, NO_DEADLINE, Recovery.SURVIVORS);
    // Nodes for the first 10 of 100 h: the first runs get done, the others do not.
    SpotMarket ending = market(t -> t < 110 ? 4 : 0);
    Entry some = new Entry("spot", sample(ending, scenario, SpotOnly::new, 30));
    Entry none = new Entry("never", sample(market(t -> 0), scenario, SpotOnly::new, 30));
    assertThat(some.sample().unfinished()).isBetween(1, 29);
    assertThat(svg(new OutcomeChart(List.of(some), null, NO_DEADLINE, "Spot"), folder))
        .contains("; not done within 2 d 2 h: ");
    assertThat(svg(new OutcomeChart(List.of(some, none), null, NO_DEADLINE, "Two"), folder))
        .contains("% not done<", ">none done, 100 % not done<", "of the runs done within 2 d 2 h")
        .doesNotContain("NaN", "Infinity");
    assertThat(svg(new OutcomeChart(List.of(none), null, NO_DEADLINE, "None"), folder))
        .contains("30 runs of never, none done within 2 d 2 h")
        .doesNotContain("NaN", "Infinity");
  }
}
