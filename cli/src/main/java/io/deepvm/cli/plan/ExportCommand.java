package io.deepvm.cli.plan;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.handover.HandedPlan;
import io.deepvm.handover.Handover;
import io.deepvm.handover.Handovers;
import io.deepvm.handover.PlanDocument;
import io.deepvm.handover.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a plan as the file of another tool. */
@Command(
    name = "export",
    description = {
      "Writes a plan as a file for another tool: a SkyPilot task, Terraform for AWS, a Kubernetes",
      "JobSet, or a script for sbatch. The file's head says what is lost in translation."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm plan --max-price-per-hour 3 --output json > plan.json",
      "  deepvm export --plan plan.json --to skypilot --out task.yaml -- python3 train.py",
      "  deepvm export --plan plan.json --to jobset --image pytorch/pytorch:2.7.1 \\",
      "    --out jobset.yaml -- python3 train.py"
    })
@SuppressWarnings("NullAway.Init")
public final class ExportCommand implements Callable<Integer> {

  @Option(
      names = "--plan",
      required = true,
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What 'deepvm plan --output json' wrote.")
  private Path planFile;

  @Option(
      names = "--rank",
      paramLabel = "K",
      description = "Which of its plans (default: ${DEFAULT-VALUE}).")
  private int rank = 1;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "TOOL",
      description = "skypilot, terraform, jobset or sbatch.")
  private String tool;

  @Option(
      names = "--out",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "The file to write (default: the results, for a pipe).")
  private @Nullable Path out;

  @Option(names = "--force", description = "Overwrite the file if it exists.")
  private boolean force;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "What the tool calls the training (default: ${DEFAULT-VALUE}).")
  private String name = "deepvm-training";

  @Option(
      names = "--setup",
      paramLabel = "COMMAND",
      description = "A shell command that prepares each machine.")
  private String setup = "";

  @Option(
      names = "--workdir",
      paramLabel = "DIR",
      description = "The folder that the tool sends along.")
  private @Nullable String workdir;

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      description = "The container image; needed for jobset.")
  private @Nullable String image;

  @Option(
      names = "--nproc-per-node",
      paramLabel = "N|gpu",
      description =
          "The processes that each node starts (default: one for each GPU); 1 for a command such as"
              + " torchrun, which starts its own.")
  private String processes = "gpu";

  @Parameters(
      arity = "0..*",
      paramLabel = "-- COMMAND",
      description = "The training command of each worker.")
  private List<String> command = new ArrayList<>();

  private final Terminal terminal;

  /** Makes the command for a terminal. */
  public ExportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Handover handover = Handovers.named(tool);
    if (command.isEmpty()) {
      throw new BadInput(
          "An export needs the command that trains.", "Maybe add -- python3 train.py.");
    }
    if (out != null && Files.exists(out) && !force) {
      throw new BadInput(
          "'%s' exists already.".formatted(out),
          "Maybe choose another name, or overwrite it with --force.");
    }
    HandedPlan plan = PlanDocument.read(planFile, rank);
    String text = handover.text(plan, new Task(name, command, setup, workdir, image, processes()));
    if (out == null) {
      terminal.out().print(text);
    } else {
      AtomicFile.write(out, target -> Files.writeString(target, text));
      terminal.err().println("Plan %d written for %s to %s".formatted(rank, tool, out));
    }
    return Exit.DONE;
  }

  /** Returns the processes of each node; null for one a GPU. */
  private @Nullable Integer processes() {
    if (processes.equals("gpu")) {
      return null;
    }
    if (!processes.matches("[1-9][0-9]{0,2}")) {
      throw new BadInput(
          "'%s' is no number of processes a node.".formatted(processes),
          "Maybe --nproc-per-node 1, or gpu.");
    }
    return Integer.valueOf(processes);
  }
}
