package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.Ignored;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.ForecastReport;
import io.deepvm.cli.print.MemoryCheck;
import io.deepvm.cli.print.SpeedReport;
import io.deepvm.planner.Architectures;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.GivenCluster;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import io.deepvm.workload.speed.ModelPresets;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what a given cluster would do. */
@Command(
    name = "predict",
    description =
        "Says what a given cluster would do and cost, what holds it back, and what matters most; or"
            + " how fast one machine trains a model.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm predict --model resnet50 --gpu A10G --batch 64",
      "  deepvm predict --job examples/resnet110.yaml --architecture parameter-server \\",
      "    --cluster examples/resnet110-cluster.yaml",
      "  deepvm predict --job examples/resnet50.yaml --gpu A10G --gpus 4 --nodes 8 --network 40Gbps",
      "",
      "examples/roberta-xlm.yaml and examples/roberta-four-continents.yaml are such files."
    })
@SuppressWarnings("NullAway.Init")
public final class PredictCommand implements Callable<Integer> {

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
      paramLabel = "FILE",
      description = "What is trained, as YAML.")
  private @Nullable Path jobFile;

  @Option(
      names = "--architecture",
      paramLabel = "NAME",
      description =
          "How the nodes work together: single-anchor, tiering, averaging or parameter-server. With --gpu, single-anchor.")
  private @Nullable String architecture;

  @Mixin private SpeedOptions speed;
  @Mixin private CatalogOption catalog;
  @Spec private CommandSpec spec;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public PredictCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (architecture != null) {
      Architectures.family(architecture);
    }
    if (speed.model != null && clusterFile == null) {
      return ofModel();
    }
    Ignored.refuse(
        spec, speed.model == null ? "without --model" : "with --cluster", SpeedOptions.NAMES);
    Job job = job();
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

  private Job job() {
    if (speed.model != null && jobFile != null) {
      throw new BadInput(
          "--job and --model both say what is trained.", "Maybe drop one of the two.");
    }
    if (speed.model != null) {
      return ModelPresets.named(speed.model).job();
    }
    if (jobFile == null) {
      throw new BadInput(
          "A prediction needs to know what is trained.",
          "Maybe --job FILE, or --model resnet50 --gpu A100.");
    }
    return JobFile.read(jobFile);
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
    Catalog offers = Progress.during(terminal, "Reading the catalog", () -> catalog.load(terminal));
    job.scaling().requireKnown(offers);
    return ClusterFile.read(clusterFile, architecture, offers);
  }

  private int ofModel() {
    Ignored.refuse(spec, "with --model", List.of("--job", "--architecture"));
    SpeedQuestion question = speed.question(gpus);
    SpeedEstimate alone = speed.answer(question);
    ModelOverNodes together = gpus.together(question, speed.setup(), alone);
    MemoryCheck memory = together.memory();
    boolean holds = memory != null && memory.fits();
    SpeedReport report =
        new SpeedReport(
            question,
            gpus.isSeveral() || holds ? together.estimate() : alone,
            gpus.isSeveral() ? together.growth() : null,
            memory,
            terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
