package io.deepvm.bench.prediction;

import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.TrainerProcess;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One process of the built-in trainer at a node of its own, told what to do as by an agent. */
final class Player implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(90);

  /** A step and when its report came. */
  record Heard(long nanos, Report.Step step) {}

  private final String node;
  private final Role role;
  private final String host;
  private final Process process;
  private final BufferedWriter orders;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();
  private final List<Heard> steps = new ArrayList<>();

  /** Starts one. */
  Player(
      String node, Role role, String host, List<String> inside, Path job, Map<String, String> pace)
      throws IOException {
    this.node = node;
    this.role = role;
    this.host = host;
    List<String> command = new ArrayList<>(inside);
    command.addAll(TrainerProcess.command(job));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(pace);
    builder
        .environment()
        .putAll(
            Map.of(
                "OMP_NUM_THREADS",
                "1",
                "DEEPVM_CHECKPOINT",
                "",
                "DEEPVM_TOKEN",
                "of-the-prediction-study",
                "DEEPVM_HOST",
                host));
    builder.redirectError(
        ProcessBuilder.Redirect.appendTo(new File(job.resolveSibling(node + ".log").toString())));
    process = builder.start();
    orders =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    Thread reader = new Thread(this::read, node);
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Report report = Lines.report(line);
        if (report instanceof Report.Ready ready) {
          port.complete(ready.port());
        } else if (report instanceof Report.Step step) {
          synchronized (this) {
            steps.add(new Heard(System.nanoTime(), step));
          }
        }
      }
    } catch (IOException e) {
      // it has ended
    }
    port.completeExceptionally(new IOException(node + " ended; see " + node + ".log"));
  }

  Member member() throws IOException, InterruptedException {
    try {
      return new Member(node, role, host, port.get(START.toSeconds(), TimeUnit.SECONDS));
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(node + " did not start.", e);
    }
  }

  void tell(Order order) throws IOException {
    orders.write(Lines.of(order));
    orders.newLine();
    orders.flush();
  }

  /** Returns the steps of a generation that were reported between two moments. */
  synchronized List<Heard> steps(long generation, long from, long to) {
    return steps.stream()
        .filter(
            heard ->
                heard.step.generation() == generation && heard.nanos >= from && heard.nanos < to)
        .toList();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
