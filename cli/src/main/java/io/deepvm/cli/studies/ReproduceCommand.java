package io.deepvm.cli.studies;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Catalogs;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.ChartOption;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.Metric;
import io.deepvm.cli.print.StudyReport;
import io.deepvm.studies.StudyRow;
import io.deepvm.studies.deepvm.DeepVmStudy;
import io.deepvm.studies.multicloud.MultiCloudStudy;
import io.deepvm.studies.skynomad.SkyNomadStudy;
import io.deepvm.studies.spotdnn.SpotDnnStudy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts a paper's figures beside ours. */
@Command(
    name = "reproduce",
    description = "Prints a paper's figures beside ours, with the difference.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm reproduce deepvm",
      "  deepvm reproduce deepvm --output csv --chart figure7.svg",
      "  deepvm reproduce spotdnn",
      "  deepvm reproduce multicloud",
      "  deepvm reproduce skynomad --output csv"
    })
@SuppressWarnings("NullAway.Init")
public final class ReproduceCommand implements Callable<Integer> {

  private static final String DEEPVM = "deepvm";
  private static final String MULTICLOUD = "multicloud";
  private static final String SKYNOMAD = "skynomad";
  private static final String SPOTDNN = "spotdnn";
  private static final List<String> STUDIES = List.of(DEEPVM, SPOTDNN, MULTICLOUD, SKYNOMAD);

  @Parameters(
      paramLabel = "STUDY",
      description = "Which paper: deepvm, spotdnn, multicloud or skynomad.")
  private String study;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description =
          "The study's own tables, for multicloud and skynomad (default: what is packed; for multicloud"
              + " the full tables in ../shared beside the project if they are there).")
  private @Nullable Path data;

  @Mixin private ChartOption chart;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public ReproduceCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (!STUDIES.contains(study)) {
      throw new BadInput(
          "There is no study '%s'.".formatted(study),
          Suggestion.maybe(
              study, STUDIES, "Maybe one of: %s.".formatted(String.join(", ", STUDIES))));
    }
    refuse(data != null && !List.of(MULTICLOUD, SKYNOMAD).contains(study), "--data");
    refuse(chart.isAsked() && !study.equals(DEEPVM), "--chart");
    chart.check();
    List<StudyRow> rows = Progress.during(terminal, "Reproducing", this::rows);
    StudyReport report = new StudyReport(rows, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    if (chart.isAsked()) {
      chart.draw(
          CompareCommand.sweep(
              Catalogs.load("paper-simulation"), Money.ZERO, Money.parse("10"), Money.parse("0.1")),
          "DeepVM, Figure 7: performance by budget, the paper's simulated catalog",
          List.of(Metric.N2K, Metric.NK, Metric.SPEEDUP),
          terminal);
    }
    return Exit.DONE;
  }

  private List<StudyRow> rows() {
    if (study.equals(DEEPVM)) {
      return DeepVmStudy.builtIn().rows();
    }
    if (study.equals(SPOTDNN)) {
      return SpotDnnStudy.rows();
    }
    if (study.equals(SKYNOMAD)) {
      return (data == null ? SkyNomadStudy.builtIn() : SkyNomadStudy.of(data)).rows();
    }
    return multiCloud().rows();
  }

  /** The start script says where the project is; a jar that runs elsewhere has what is packed. */
  private MultiCloudStudy multiCloud() {
    if (data != null) {
      return MultiCloudStudy.of(data);
    }
    String project = System.getProperty("deepvm.root");
    return project == null ? MultiCloudStudy.builtIn() : MultiCloudStudy.beside(Path.of(project));
  }

  private void refuse(boolean asked, String option) {
    if (asked) {
      throw new BadInput(
          "The study '%s' has no %s.".formatted(study, option), "Maybe leave it out.");
    }
  }
}
