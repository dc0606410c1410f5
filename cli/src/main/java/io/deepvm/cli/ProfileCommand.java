package io.deepvm.cli;

import io.deepvm.cli.print.Csv;
import io.deepvm.cli.print.Json;
import io.deepvm.cli.print.Table;
import io.deepvm.trainer.ServedProfile;
import io.deepvm.trainer.TrainingProfile;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.units.Numbers;
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

/** Measures a training job by a few seconds of real steps. */
@Command(
    name = "profile",
    description = "Measures a training job by a few seconds of real steps.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm profile --training-job examples/training.yaml --write-job job.yaml --machine T4"
    })
@SuppressWarnings("NullAway.Init")
final class ProfileCommand implements Callable<Integer> {

  @Option(
      names = "--training-job",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What the built-in trainer trains (default: a small image classifier).")
  private @Nullable Path jobFile;

  @Option(
      names = "--time",
      paramLabel = "DURATION",
      description = "How long to train (default: 5s; three times that at a parameter server).")
  private Duration time = LocalFacts.REHEARSAL;

  @Option(
      names = "--write-job",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "Write a job file for 'deepvm plan --architecture averaging|parameter-server'.")
  private @Nullable Path planFile;

  @Option(
      names = "--machine",
      paramLabel = "NAME",
      description =
          "The GPU or instance type this machine stands for in it (default: ${DEFAULT-VALUE}).")
  private String machine = "T4";

  @Option(
      names = "--write-losses",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "Write the losses for 'deepvm fit loss'.")
  private @Nullable Path lossFile;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  ProfileCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  private record Row(String what, double value, String unit) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
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
