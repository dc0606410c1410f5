package io.deepvm.cluster.agent;

import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.output.PrintedLine;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Starts and ends the training processes of a node, and reports what happens to them. */
final class TrainingProcesses {

  private static final int NOT_STARTED = 127;

  private final NodeStart start;
  private final Work work;
  private final Launcher launcher;
  private final Consumer<AgentInput> inputs;
  private final IntConsumer wrote;
  private final Consumer<PrintedLine> output;
  private volatile @Nullable Child newest;

  /**
   * Makes it without a process. All callbacks come from several threads.
   *
   * @param inputs takes what the agent's machine must know
   * @param wrote takes the number of a process whenever that wrote something
   * @param output takes what commands print
   */
  TrainingProcesses(
      NodeStart start,
      Work work,
      Launcher launcher,
      Consumer<AgentInput> inputs,
      IntConsumer wrote,
      Consumer<PrintedLine> output) {
    this.start = start;
    this.work = work;
    this.launcher = launcher;
    this.inputs = inputs;
    this.wrote = wrote;
    this.output = output;
  }

  /** Starts a process: for the generation if it is a command. */
  void launch(int process, AgentOrders.@Nullable Formation generation) {
    List<Map<String, String>> environments =
        generation == null
            ? List.of(ProcessEnvironment.of(start, work))
            : ProcessEnvironment.ofEach(start, work, generation);
    int firstRank = generation == null ? 0 : generation.firstRank(start.node());
    try {
      newest =
          ProcessGroup.launch(
              launcher,
              work.command(),
              environments,
              seconds(work.timeouts().stopSeconds()),
              new Events(process, firstRank));
      inputs.accept(new AgentInput.Started(process));
    } catch (IOException e) {
      newest = null;
      inputs.accept(
          new AgentInput.Ended(process, NOT_STARTED, String.valueOf(e.getMessage()), null));
    }
  }

  /** Sends the newest process an order. */
  void tell(Order order) {
    Child running = newest;
    if (running != null) {
      running.order(order);
    }
  }

  /** Sends the newest process a signal. */
  void signal(String name) {
    Child running = newest;
    if (running != null) {
      running.signal(name);
    }
  }

  /** Asks the newest process to end and kills it after this time, in a thread of its own. */
  void stop(String reason, double patienceSeconds) {
    Child running = newest;
    if (running != null) {
      DaemonThreads.start("process-stop", () -> running.stop(reason, seconds(patienceSeconds)));
    }
  }

  /** Kills the newest process. */
  void kill() {
    Child running = newest;
    if (running != null) {
      running.kill();
    }
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  /** What happens to one process. */
  private final class Events implements ProcessGroup.Listener {

    private final int process;
    private final int firstRank;

    Events(int process, int firstRank) {
      this.process = process;
      this.firstRank = firstRank;
    }

    @Override
    public void wrote() {
      wrote.accept(process);
    }

    @Override
    public void reported(String line) {
      Report report = Lines.report(line);
      if (report != null) {
        inputs.accept(new AgentInput.Reported(process, report));
      }
    }

    @Override
    public void printed(int localRank, PrintedLine.Pipe pipe, String text) {
      if (work.kind() == Work.Kind.COMMAND) {
        output.accept(new PrintedLine(firstRank + localRank, pipe, text));
      }
    }

    @Override
    public void exited(ProcessGroup.Exit exit) {
      inputs.accept(new AgentInput.Ended(process, exit.code(), exit.tail(), exit.localRank()));
    }
  }
}
