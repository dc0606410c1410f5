package io.deepvm.cli;

import io.deepvm.catalog.Catalog;
import io.deepvm.cli.print.ForecastReport;
import io.deepvm.planner.Architectures;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.Family;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says what a given cluster would do. */
@Command(
    name = "predict",
    description =
        "Says what a given cluster would do and cost, what holds it back, and what matters most.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm predict --job examples/resnet110.yaml --architecture parameter-server \\",
      "    --cluster examples/resnet110-cluster.yaml",
      "",
      "examples/roberta-xlm.yaml and examples/roberta-four-continents.yaml are such files."
    })
@SuppressWarnings("NullAway.Init")
final class PredictCommand implements Callable<Integer> {

  @Option(
      names = "--cluster",
      converter = GivenPath.Source.class,
      required = true,
      paramLabel = "FILE",
      description = "The nodes, as YAML: a list of {type, count, place, market}.")
  private Path clusterFile;

  @Option(
      names = "--job",
      converter = GivenPath.Source.class,
      required = true,
      paramLabel = "FILE",
      description = "What is trained, as YAML.")
  private Path jobFile;

  @Option(
      names = "--architecture",
      required = true,
      paramLabel = "NAME",
      description =
          "How the nodes work together: single-anchor, tiering, averaging or parameter-server.")
  private String architecture;

  @Mixin private CatalogOption catalog;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  PredictCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Family family = Architectures.family(architecture);
    Job job = JobFile.read(jobFile);
    Catalog offers = Progress.during(terminal, "Reading the catalog", catalog::load);
    job.scaling().requireKnown(offers);
    ClusterForecast forecast =
        family.predict(job, ClusterFile.read(clusterFile, architecture, offers));
    ForecastReport report = new ForecastReport(job.name(), forecast, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
