package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Plays the agents of real training processes. */
final class Crew implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path job;
  private final List<Worker> all = new ArrayList<>();
  private long generation;

  Crew(Path job) {
    this.job = job;
  }

  /** Starts a process and waits until it listens. */
  Worker start(Role role, Map<String, String> environment) throws Exception {
    Worker worker = new Worker("node-" + all.size(), role, job, environment);
    all.add(worker);
    return worker;
  }

  Worker start() throws Exception {
    return start(Role.WORKER, Map.of());
  }

  List<Worker> start(int count) throws Exception {
    List<Worker> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(start());
    }
    return started;
  }

  /** Forms a new generation of these. */
  long form(List<Worker> workers) throws Exception {
    generation++;
    List<Member> members = new ArrayList<>();
    for (Worker worker : workers) {
      members.add(new Member(worker.node, worker.role, "127.0.0.1", worker.port(), worker.place));
    }
    for (int rank = 0; rank < workers.size(); rank++) {
      workers.get(rank).tell(new Order.Form(generation, rank, members));
    }
    return generation;
  }

  @Override
  public void close() {
    all.forEach(Worker::kill);
  }

  /** One process, and all that it reported. */
  static final class Worker {
    final String node;
    final Role role;
    String place = "";
    private final Process process;
    private final BufferedWriter orders;
    private final List<Report> reports = new ArrayList<>();

    Worker(String node, Role role, Path job, Map<String, String> environment) throws IOException {
      this.node = node;
      this.role = role;
      ProcessBuilder builder =
          new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-Xmx256m",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=4",
              "-cp",
              System.getProperty("java.class.path"),
              TrainerMain.class.getName(),
              "--training-job",
              job.toString());
      builder.environment().put("OMP_NUM_THREADS", "1");
      builder.environment().put("DEEPVM_TOKEN", "a secret of the tests");
      builder.environment().putAll(environment);
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
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
          if (report == null) {
            throw new IllegalStateException("Not a report: " + line);
          }
          synchronized (reports) {
            reports.add(report);
            reports.notifyAll();
          }
        }
      } catch (IOException e) {
        // It was killed.
      }
    }

    int port() throws Exception {
      return await(Report.Ready.class, ready -> true).port();
    }

    void tell(Order order) throws IOException {
      orders.write(Lines.of(order));
      orders.newLine();
      orders.flush();
    }

    /** Waits for a report, however long ago it came. */
    <R extends Report> R await(Class<R> type, Predicate<R> which) throws Exception {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      synchronized (reports) {
        while (true) {
          R found = find(type, which);
          if (found != null) {
            return found;
          }
          long left = (deadline - System.nanoTime()) / 1_000_000;
          if (left <= 0 || (!process.isAlive() && drained())) {
            throw new AssertionError(
                "%s reported no such %s, only %s".formatted(node, type.getSimpleName(), tail()));
          }
          reports.wait(Math.min(left, 200));
        }
      }
    }

    private boolean drained() throws IOException {
      return process.getInputStream().available() == 0;
    }

    private List<Report> tail() {
      return reports.subList(Math.max(0, reports.size() - 5), reports.size());
    }

    private <R extends Report> @Nullable R find(Class<R> type, Predicate<R> which) {
      for (Report report : reports) {
        if (type.isInstance(report) && which.test(type.cast(report))) {
          return type.cast(report);
        }
      }
      return null;
    }

    Report.Step awaitStep(long step) throws Exception {
      return await(Report.Step.class, said -> said.step() >= step);
    }

    Report.Formed awaitFormed(long generation) throws Exception {
      return await(Report.Formed.class, said -> said.generation() == generation);
    }

    Report.Finished awaitFinished() throws Exception {
      return await(Report.Finished.class, said -> true);
    }

    List<Report.Step> steps() {
      synchronized (reports) {
        return reports.stream()
            .filter(Report.Step.class::isInstance)
            .map(Report.Step.class::cast)
            .toList();
      }
    }

    /** Ends it as if its machine were gone. */
    void kill() {
      process.destroyForcibly();
      try {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Closes its input, as the end of its agent would. */
    void orphan() throws IOException {
      orders.close();
    }

    int awaitExit() throws InterruptedException {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    }
  }
}
