package io.deepvm.cli.studies;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.ChartOption;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.Metric;
import io.deepvm.cli.print.SweepReport;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.studies.deepvm.DeepVmPolicies;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares policies over a range of budgets. */
@Command(
    name = "compare",
    description = {
      "Compares what the paper's policies and ours get for each of a range of budgets.",
      "The paper's own comparison, its Figure 7, is '--catalog paper-simulation'."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm compare --catalog paper-simulation --to 5 --step 0.5 --chart policies.svg"
    })
@SuppressWarnings("NullAway.Init")
public final class CompareCommand implements Callable<Integer> {

  /** The paper's checkpoint, and how many of them a remote node buffers. */
  static final DataSize CHECKPOINT = DataSize.ofGb(0.5);

  static final double SLOTS = 2;

  @Mixin private CatalogOption catalog;

  @Option(names = "--from", paramLabel = "USD", description = "The first budget (default: 0).")
  private Money from = Money.ZERO;

  @Option(names = "--to", paramLabel = "USD", description = "The last budget (default: 10).")
  private Money to = Money.parse("10");

  @Option(
      names = "--step",
      paramLabel = "USD",
      description = "From one budget to the next (default: 0.1).")
  private Money step = Money.parse("0.1");

  @Option(
      names = "--metric",
      paramLabel = "speedup|nk|n2k",
      description = {
        "What the table and the chart show (default: speedup in the table, all three in the chart):",
        "speedup: FLOPS x fitted speed-up, nearest to measured times;",
        "nk: FLOPS x n K(n), the paper's scaled nodes;",
        "n2k: FLOPS x n n K(n), the artifact's figure."
      })
  private @Nullable Metric metric;

  @Mixin private ChartOption chart;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CompareCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    chart.check();
    Catalog offers = Progress.during(terminal, "Reading the catalog", () -> catalog.load(terminal));
    BudgetSweep sweep = Progress.during(terminal, "Comparing", () -> sweep(offers, from, to, step));
    SweepReport report = new SweepReport(sweep, offers.name(), terminal.out());
    switch (output.format) {
      case TABLE -> report.table(metric == null ? Metric.SPEEDUP : metric, terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    chart.draw(
        sweep,
        "What a budget buys, by policy (catalog '%s')".formatted(offers.name()),
        metric == null ? List.of(Metric.values()) : List.of(metric),
        terminal);
    return Exit.DONE;
  }

  /** Asks the paper's policies and ours. */
  static BudgetSweep sweep(Catalog offers, Money from, Money to, Money step) {
    List<BudgetPolicy> policies = new ArrayList<>();
    policies.addAll(DeepVmPolicies.published(offers, Job.UNSTATED, CHECKPOINT, SLOTS));
    policies.addAll(DeepVmPolicies.ours(offers, Job.UNSTATED, CHECKPOINT, SLOTS));
    return BudgetSweep.over(from, to, step, policies, Job.UNSTATED);
  }
}
