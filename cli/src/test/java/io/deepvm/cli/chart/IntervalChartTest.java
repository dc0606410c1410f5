package io.deepvm.cli.chart;

import static io.deepvm.cli.chart.Runs.NO_DEADLINE;
import static io.deepvm.cli.chart.Runs.market;
import static io.deepvm.cli.chart.Runs.sample;
import static io.deepvm.cli.chart.Runs.scenario;
import static io.deepvm.cli.chart.Runs.svg;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Durations;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.IntervalCurve;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.policy.SpotOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntervalChartTest {

  private static final SpotMarket MARKET = market(t -> t % 40 == 39 ? 0 : t % 7 < 4 ? 4 : 3);

  @TempDir private Path folder;

  @Test
  void marksTheBestIntervalAndTheRules() throws IOException {
    Scenario scenario = scenario(4, 10, 14 * 3600, Recovery.RESTART);
    IntervalCurve curve =
        IntervalCurve.of(
            scenario,
            i -> sample(MARKET, scenario.saving(new SaveRule.Fixed(i)), SpotOnly::new, 20));
    String best = Durations.print(Durations.ofSeconds(curve.best().seconds()));
    String drawn = svg(new IntervalChart(curve, 1500.0, "Intervals"), folder);
    assertThat(drawn)
        .contains(">best: " + best + "<", ">Young/Daly: 25 min<", ">mean<", ">10 min<")
        .contains(">95 % of runs cost less<", ">Late or unfinished (%)<", ">Mean time (h)<")
        .contains(
            ">20 runs at each interval; bands are 95 % confidence intervals; cost and time of");
    assertThat(svg(new IntervalChart(curve, 1500.0, "Intervals"), folder)).isEqualTo(drawn);
  }

  @Test
  void onePointOfOneRunWithoutDeadlineIsDrawn() throws IOException {
    Scenario scenario = scenario(4, 2, NO_DEADLINE, Recovery.SURVIVORS);
    var point = new IntervalCurve.Point(600, sample(MARKET, scenario, SpotOnly::new, 1));
    assertThat(svg(new IntervalChart(new IntervalCurve(List.of(point)), null, "One"), folder))
        .contains(">best: 10 min<", ">1 run at each interval<")
        .doesNotContain("Young", "Late", "NaN", "Infinity");
  }

  @Test
  void anIntervalAtWhichNoRunIsDoneHasNoPoint() throws IOException {
    Scenario scenario = scenario(4, 10, NO_DEADLINE, Recovery.SURVIVORS);
    var none = new IntervalCurve.Point(600, sample(market(t -> 0), scenario, SpotOnly::new, 3));
    var all = new IntervalCurve.Point(1200, sample(market(t -> 4), scenario, SpotOnly::new, 3));
    IntervalCurve curve = new IntervalCurve(List.of(none, all));
    assertThat(curve.best()).isEqualTo(all);
    assertThat(svg(new IntervalChart(curve, null, "Two"), folder))
        .contains(">best: 20 min<", "cost and time of the runs done within 2 d 2 h")
        .doesNotContain("NaN", "Infinity");
  }
}
