package io.deepvm.cli.chart;

import static io.deepvm.cli.chart.Runs.NO_DEADLINE;
import static io.deepvm.cli.chart.Runs.market;
import static io.deepvm.cli.chart.Runs.run;
import static io.deepvm.cli.chart.Runs.scenario;
import static io.deepvm.cli.chart.Runs.svg;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.cli.chart.Chart.Fact;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.policy.OnDemandOnly;
import io.deepvm.simulator.policy.PerformanceFirst;
import io.deepvm.simulator.policy.SpotOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimelineChartTest {

  /** Two pools that come and go, so that both markets, notices and losses occur. */
  private static final SpotMarket RESTLESS =
      market(t -> t % 30 < 20 ? 4 : 1, t -> t % 50 < 9 ? 0 : 2);

  @TempDir private Path folder;

  @Test
  void saysWhatEveryColourLineAndMarkMeans() throws IOException {
    var run = run(RESTLESS, scenario(8, 20, 30 * 3600, Recovery.RESTART), new PerformanceFirst());
    assertThat(run.outcome().revocations()).isPositive();
    assertThat(svg(run.chart("A run"), folder))
        .contains(">A run<", ">useful<", ">waiting<", ">booting<", ">lost, redone<", ">stalled<")
        .contains(">on demand<", ">notice<", ">revoked<", ">work done<", ">of it safe<")
        .contains(">deadline<", ">Spot $/h<", ">Spent ($)<", ">Hours since the start<")
        .contains(">gcp/region-0/zone-a a3-highgpu-8g<", ">gcp/region-1/zone-a a3-highgpu-8g<");
  }

  @Test
  void hasTheSameBytesEachTimeAndInEveryLocale() throws IOException {
    var run = run(RESTLESS, scenario(8, 600, NO_DEADLINE, Recovery.SURVIVORS), new SpotOnly());
    String once = svg(run.chart("A run"), folder);
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      assertThat(svg(run.chart("A run"), folder)).isEqualTo(once).contains(">1,000<");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void aRunWhoseWorkIsNotKnownShowsItsNodesPricesAndMoney() throws IOException {
    Timeline nodes = new Timeline();
    nodes.rented(0, 0, Market.SPOT, 0);
    nodes.turned(0, Activity.USEFUL, 100);
    nodes.ended(0, true, 7200);
    nodes.spent(3, 7200);
    var scenario = scenario(8, 600, NO_DEADLINE, Recovery.SURVIVORS);
    assertThat(svg(new TimelineChart(nodes, RESTLESS, 0, scenario, "A command"), folder))
        .contains(">useful<", ">revoked<", ">Spot $/h<", ">Spent ($)<")
        // the axis ends where the last node did
        .contains(">2<")
        .doesNotContain(">work done<", ">lost, redone<", ">Work (%)<");
  }

  @Test
  void leavesOutOfTheLegendWhatDidNotHappen() throws IOException {
    var run =
        run(market(t -> 4), scenario(1, 3, NO_DEADLINE, Recovery.SURVIVORS), new OnDemandOnly());
    assertThat(svg(run.chart("One node"), folder))
        .contains(">1 node: 0 spot, 1 on demand; 0 revoked<", ">useful<", ">on demand<")
        .doesNotContain(">revoked<", ">notice<", ">lost, redone<", ">deadline<");
  }

  @Test
  void aDeadlineFarOffDoesNotSqueezeTheRun() throws IOException {
    var run = run(market(t -> 4), scenario(2, 3, 900 * 3600, Recovery.SURVIVORS), new SpotOnly());
    assertThat(svg(run.chart("Early"), folder)).contains(">3<").doesNotContain(">deadline<");
  }

  @Test
  void manyShortLivesShareRowsAndStaySmall() throws IOException {
    SpotMarket nervous = market(t -> t % 4 < 2 ? 8 : 2);
    var run = run(nervous, scenario(8, 40, NO_DEADLINE, Recovery.SURVIVORS), new SpotOnly());
    assertThat(run.timeline().lives()).hasSizeGreaterThan(200);
    assertThat(Rows.of(run.timeline().lives()))
        .singleElement()
        .satisfies(rows -> assertThat(rows.count()).isEqualTo(8));
    assertThat(svg(run.chart("Nervous"), folder)).hasSizeLessThan(400_000);
    Path png = folder.resolve("chart.png");
    run.chart("Nervous").write(png);
    var image = ImageIO.read(png.toFile());
    assertThat(image.getWidth()).isEqualTo(1920);
    assertThat(image.getHeight()).isBetween(1000, 1400);
  }

  @Test
  void aRunWithoutNodesSaysSo() throws IOException {
    var run = run(market(t -> 0), scenario(4, 3, NO_DEADLINE, Recovery.SURVIVORS), new SpotOnly());
    assertThat(svg(run.chart("Nothing"), folder)).contains(">No node was rented.<");
    var never = new TimelineChart(new Timeline(), run.market(), 0, run.scenario(), "Never begun");
    assertThat(svg(never, folder)).contains(">No node was rented.<");
  }

  @Test
  void aPageHoldsThePictureAndTheFactsEscaped() throws IOException {
    var run = run(market(t -> 4), scenario(2, 3, NO_DEADLINE, Recovery.SURVIVORS), new SpotOnly());
    Path page = folder.resolve("Chart.HTML");
    run.chart("a < b & \"c\"").write(page, List.of(new Fact("<Cost>", "$1 & more")));
    assertThat(page)
        .content()
        .contains("<h1>a &lt; b &amp; &quot;c&quot;</h1>", "<svg ", ">useful<")
        .contains("<th scope=\"row\">&lt;Cost&gt;</th><td class=\"number\">$1 &amp; more</td>")
        .contains("\"title\":\"a \\u003c b & \\\"c\\\"\"")
        .contains("Content-Security-Policy", "default-src 'none'", "script-src 'sha256-")
        .doesNotContain("<?xml", " src=", "<link", "@import", "unsafe-eval");
    assertThat(svg(run.chart("a < b & c"), folder)).contains(">a &lt; b &amp; c<");
  }

  @Test
  void anEndingThatSaysNoFormatIsRefused() {
    assertThatThrownBy(() -> ChartFormat.of(Path.of("run.pdf")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("run.pdf");
  }
}
