package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Gpus;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.Csv;
import io.deepvm.cli.print.Json;
import io.deepvm.cli.print.Table;
import io.deepvm.trainer.ServedProfile;
import io.deepvm.trainer.TrainingProfile;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.workload.profile.ScriptProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures a training job by a few seconds of real steps, or any script by what it prints. */
@Command(
    name = "profile",
    description =
        "Measures a training job by a few seconds of real steps, or any training command by what it"
            + " prints in a minute.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm profile --training-job examples/training.yaml --write-job job.yaml --machine T4",
      "  deepvm profile --write-job job.yaml --machine T4 -- python3 examples/progress_lines.py"
    })
@SuppressWarnings("NullAway.Init")
public final class ProfileCommand implements Callable<Integer> {

  @Option(
      names = "--training-job",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What the built-in trainer trains (default: a small image classifier).")
  private @Nullable Path jobFile;

  @Option(
      names = "--time",
      paramLabel = "DURATION",
      description =
          "How long to train (default: 5s, three times that at a parameter server; 60s for a"
              + " command).")
  private @Nullable Duration time;

  @Option(names = "--seconds", paramLabel = "N", description = "The same, in seconds.")
  private @Nullable Integer seconds;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Samples of one step of the command, where its output counts steps alone.")
  private @Nullable Integer batch;

  @Option(
      names = "--write-job",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description =
          "Write a job file for 'deepvm plan': of a command for every architecture, else for"
              + " averaging|parameter-server.")
  private @Nullable Path planFile;

  @Option(
      names = "--machine",
      paramLabel = "NAME",
      description =
          "The GPU or instance type this machine stands for in it (default: T4; for a command the"
              + " GPU that is here).")
  private @Nullable String machine;

  @Option(
      names = "--write-losses",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "Write the losses for 'deepvm fit loss'.")
  private @Nullable Path lossFile;

  @Parameters(
      arity = "0..*",
      paramLabel = "-- COMMAND",
      description = "A training command to measure instead of the built-in trainer.")
  private List<String> command = new ArrayList<>();

  @Mixin private ProfiledModel model;
  @Mixin private OutputOption output;

  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  private final Terminal terminal;

  public ProfileCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** One measured figure. */
  record Row(String what, double value, String unit) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!command.isEmpty()) {
      return measureCommand();
    }
    if (batch != null) {
      throw new BadInput(
          "--batch is for a command, and there is none.", "Maybe add -- python3 train.py.");
    }
    Duration time = time(LocalFacts.REHEARSAL);
    String machine = this.machine == null ? "T4" : this.machine;
    Path job = jobFile;
    Path own = null;
    if (job == null) {
      own = Files.createTempFile("deepvm", ".yaml");
      DemoJob.writeTraining(own, DemoJob.ENDLESS);
      job = own;
    }
    TrainingProfile profile;
    ServedProfile served = null;
    Progress progress = new Progress(terminal, "Training", Duration.ofSeconds(1));
    try {
      TrainingJob read = TrainingJob.read(job);
      if (read.strategy() == TrainingJob.Strategy.PARAMETER_SERVER) {
        served = ServedProfile.measure(job, time);
        profile = served.training();
      } else {
        profile = TrainingProfile.measure(read, time);
      }
    } finally {
      progress.close();
      if (own != null) {
        Files.delete(own);
      }
    }
    print(rows(profile, served));
    if (lossFile != null) {
      write(lossFile, profile.lossCsv());
    }
    if (planFile != null) {
      write(
          planFile,
          served == null ? profile.jobFile(machine) : served.jobFile(machine, losses(planFile)));
    }
    return Exit.DONE;
  }

  private int measureCommand() throws IOException, InterruptedException {
    if (jobFile != null || lossFile != null) {
      throw new BadInput(
          "%s is for the built-in trainer, not for a command."
              .formatted(jobFile != null ? "--training-job" : "--write-losses"),
          "Maybe leave it out.");
    }
    if (batch != null && batch < 1) {
      throw new BadInput("A step of %d samples is none.".formatted(batch), "Maybe --batch 32.");
    }
    model.check();
    ScriptProfiler profiler = new ScriptProfiler(new PeakMemory("nvidia-smi"));
    String here = planFile == null ? "" : machine == null ? profiler.machine() : machine;
    Progress progress = new Progress(terminal, "Measuring", Duration.ofSeconds(1));
    ScriptProfile profile;
    try {
      profile = profiler.measure(command, time(A_MINUTE), batch);
    } finally {
      progress.close();
    }
    print(profiler.rows());
    if (planFile != null) {
      Gpus node = profiler.gpus(here);
      write(
          planFile,
          profile.jobFile(here, (int) node.count(), model.lines(node, profile.samplesPerSecond())));
    }
    return Exit.DONE;
  }

  private Duration time(Duration usual) {
    if (seconds == null) {
      return time == null ? usual : time;
    }
    if (time != null) {
      throw new BadInput("--time and --seconds say the same.", "Maybe leave one of the two out.");
    }
    if (seconds < 1) {
      throw new BadInput("--seconds: %d is not above 0.".formatted(seconds), "Maybe --seconds 60.");
    }
    return Duration.ofSeconds(seconds);
  }

  /** Returns the file of the losses as one beside it names it. */
  private @Nullable String losses(Path beside) {
    Path file = lossFile;
    return file == null
        ? null
        : beside.toAbsolutePath().resolveSibling("").relativize(file.toAbsolutePath()).toString();
  }

  private void write(Path file, String text) {
    AtomicFile.write(file, target -> Files.writeString(target, text));
    terminal.err().println("Written: " + file);
  }

  private static List<Row> rows(TrainingProfile p, @Nullable ServedProfile served) {
    List<Row> rows = new ArrayList<>(rows(p));
    if (served != null) {
      rows.add(new Row("compute, at a server", 1e3 * served.computeSeconds(), "ms"));
      rows.add(new Row("push or pull, at a server", 1e3 * served.turnSeconds(), "ms"));
    }
    return rows;
  }

  private static List<Row> rows(TrainingProfile p) {
    List<TrainingProfile.LossPoint> losses = p.losses();
    return List.of(
        new Row("parameters", p.parameters(), ""),
        new Row("checkpoint", p.stateBytes() / 1e6, "MB"),
        new Row(
            "compute, one micro-batch of %d".formatted(p.microBatch()),
            1e3 * p.computeSeconds(),
            "ms"),
        new Row("taking a step", 1e3 * p.applySeconds(), "ms"),
        new Row("adding a gradient", 1e3 * 4 * p.parameters() * p.sumSecondsPerByte(), "ms"),
        new Row("sending a gradient here", 1e3 * 4 * p.parameters() * p.wireSecondsPerByte(), "ms"),
        new Row("one process alone", p.samplesPerSecond(), "samples/s"),
        new Row("first loss", losses.get(0).loss(), ""),
        new Row(
            "loss of step %d".formatted(losses.size()), losses.get(losses.size() - 1).loss(), ""));
  }

  private void print(List<Row> rows) {
    switch (output.format) {
      case TABLE -> {
        Table table = new Table("MEASURED", "VALUE>", "UNIT");
        rows.forEach(row -> table.row(row.what, Numbers.print(row.value, 3), row.unit));
        table.print(terminal.out(), terminal.paint(), "");
      }
      case JSON ->
          Json.object(
              terminal.out(),
              json -> {
                json.put("schema", "deepvm/profile/v1");
                json.array(
                    "measured",
                    list -> {
                      for (Row row : rows) {
                        list.object(
                            o -> {
                              o.put("what", row.what);
                              o.put("value", row.value);
                              o.put("unit", row.unit);
                            });
                      }
                    });
              });
      case CSV -> {
        Csv csv = new Csv(terminal.out()).row("what", "value", "unit");
        rows.forEach(row -> csv.row(row.what, row.value, row.unit));
      }
    }
  }
}
