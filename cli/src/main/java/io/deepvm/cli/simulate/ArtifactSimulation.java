package io.deepvm.cli.simulate;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.options.NothingFits;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.options.Values;
import io.deepvm.cli.print.GangReport;
import io.deepvm.market.GapRule;
import io.deepvm.market.Recording;
import io.deepvm.market.SpotMarket;
import io.deepvm.studies.skynomad.ArtifactCase;
import io.deepvm.studies.skynomad.GangComparison;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The settings of SkyNomad's simulator, for {@code simulate --compat artifact}. */
final class ArtifactSimulation {

  /** The options below, which say nothing to our own simulator. */
  static final List<String> NAMES = List.of("--restart", "--checkpoint-size", "--start-tick");

  @Option(
      names = "--restart",
      converter = Values.OrNone.class,
      paramLabel = "DURATION",
      description = "With --compat artifact: from a launch to work (default: 12min).")
  private Duration restart = Duration.ofMinutes(12);

  @Option(
      names = "--checkpoint-size",
      paramLabel = "SIZE",
      description = "With --compat artifact: what moves to another region (default: 50GB).")
  private DataSize checkpoint = DataSize.ofGb(50);

  @Option(
      names = "--start-tick",
      paramLabel = "N",
      description = "With --compat artifact: the tick of the trace to begin at (default: 0).")
  private int startTick;

  /** Runs the policies; places choose zones, in their order, which ties depend on. */
  int run(
      Terminal terminal,
      Recording record,
      List<PlaceFilter> places,
      @Nullable String policy,
      @Nullable Double hours,
      @Nullable Duration deadline,
      OutputOption output) {
    if (hours == null || deadline == null) {
      throw new BadInput(
          "The original's simulator needs to know the work and the deadline.",
          "Maybe add --hours 34.5 --deadline 51h50m.");
    }
    Recording zones = places.isEmpty() ? record : record.with(record.in(places));
    SpotMarket market = zones.market(GapRule.LAST);
    if (startTick >= market.ticks()) {
      throw new BadInput(
          "The start tick (%d) must be from 0 to %d.".formatted(startTick, market.ticks() - 1),
          "Maybe leave it out.");
    }
    ArtifactCase given =
        new ArtifactCase(
            hours,
            deadline.toMillis() / 3.6e6,
            restart.toMillis() / 3.6e6,
            checkpoint.gb(),
            startTick);
    if (given.infeasible()) {
      return new NothingFits(
              "Work of %s h after a restart of %s h does not fit before the deadline (%s h)."
                  .formatted(hours, given.restartHours(), given.deadlineHours()),
              "raise --deadline above %s h".formatted(hours + given.restartHours()))
          .print(terminal, output.format, "deepvm/gang-simulation/v1");
    }
    List<GangComparison.Row> rows =
        Progress.during(terminal, "Simulating", () -> GangComparison.of(market, given, policy));
    GangReport report = new GangReport(rows, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
