package io.deepvm.cli;

import io.deepvm.catalog.Catalog;
import io.deepvm.cli.print.ForecastReport;
import io.deepvm.planner.Architectures;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.GivenCluster;
import io.deepvm.units.BadInput;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
      "  deepvm predict --job examples/resnet50.yaml --gpu A10G --gpus 4 --nodes 8 --network 40Gbps",
      "",
      "examples/roberta-xlm.yaml and examples/roberta-four-continents.yaml are such files."
    })
@SuppressWarnings("NullAway.Init")
final class PredictCommand implements Callable<Integer> {

  /** Nodes that nobody takes back need no other machine. */
  private static final String USUAL_ARCHITECTURE = "single-anchor";

  @Option(
      names = "--cluster",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "The nodes, as YAML: a list of {type, count, place, market}.")
  private @Nullable Path clusterFile;

  @Mixin private GpuClusterOption gpus;

  @Option(
      names = "--job",
      converter = GivenPath.Source.class,
      required = true,
      paramLabel = "FILE",
      description = "What is trained, as YAML.")
  private Path jobFile;

  @Option(
      names = "--architecture",
      paramLabel = "NAME",
      description =
          "How the nodes work together: single-anchor, tiering, averaging or parameter-server. With --gpu, single-anchor.")
  private @Nullable String architecture;

  @Mixin private CatalogOption catalog;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  PredictCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (architecture != null) {
      Architectures.family(architecture);
    }
    Job job = JobFile.read(jobFile);
    GivenCluster cluster = gpus.isGiven() ? ofGpus() : ofFile(job);
    ClusterForecast forecast = Architectures.family(cluster.architecture()).predict(job, cluster);
    ForecastReport report = new ForecastReport(job.name(), forecast, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }

  private GivenCluster ofGpus() {
    if (clusterFile != null) {
      throw new BadInput(
          "--cluster and --gpu both describe the nodes.", "Maybe drop one of the two.");
    }
    return gpus.cluster(architecture == null ? USUAL_ARCHITECTURE : architecture);
  }

  private GivenCluster ofFile(Job job) {
    if (clusterFile == null || architecture == null) {
      throw new BadInput(
          "Predicting needs --cluster and --architecture, or --gpu.",
          "Maybe --gpu A100 --gpus 8 --nodes 4 --network 100Gbps.");
    }
    Catalog offers = Progress.during(terminal, "Reading the catalog", catalog::load);
    job.scaling().requireKnown(offers);
    return ClusterFile.read(clusterFile, architecture, offers);
  }
}
