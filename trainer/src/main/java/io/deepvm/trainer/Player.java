package io.deepvm.trainer;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One process of the built-in trainer on this machine, driven as an agent would drive it; it trains
 * on past the job's end and leaves no checkpoint behind.
 */
public final class Player implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(60);

  /** Something the process said after it was ready, and when. */
  public record Received(long nanos, Report report) {}

  /** A report and the time of its arrival. */
  public record Seen(long nanos, Report.Step step) {}

  private record Ready(long nanos, int port) {}

  private final String node;
  private final Role role;
  private final String host;
  private final Process process;
  private final BufferedWriter orders;
  private final BlockingQueue<Received> reports = new LinkedBlockingQueue<>();
  private final CompletableFuture<Ready> ready = new CompletableFuture<>();
  private final long started = System.nanoTime();

  /**
   * Starts one.
   *
   * @param host where the others reach it
   * @param command how it is started
   * @param environment of the process besides what is around this one
   * @param complaints where what it writes to standard error goes
   */
  public Player(
      String node,
      Role role,
      String host,
      List<String> command,
      Map<String, String> environment,
      ProcessBuilder.Redirect complaints)
      throws IOException {
    this.node = node;
    this.role = role;
    this.host = host;
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .putAll(Map.of("OMP_NUM_THREADS", "1", "DEEPVM_CHECKPOINT", "", "DEEPVM_REHEARSAL", "1"));
    builder.environment().putAll(environment);
    process = builder.redirectError(complaints).start();
    orders =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    DaemonThreads.start(node, this::read);
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Report report = Lines.report(line);
        if (report instanceof Report.Ready up) {
          ready.complete(new Ready(System.nanoTime(), up.port()));
        } else if (report != null) {
          reports.add(new Received(System.nanoTime(), report));
        }
      }
    } catch (IOException e) {
      // It has ended.
    }
    ready.completeExceptionally(new EOFException());
  }

  private Ready awaitReady() throws InterruptedException {
    String way = "Maybe the job names a model or data that cannot be read.";
    try {
      return ready.get(START.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new BadInput("The trainer %s ended before it was ready.".formatted(node), way);
    } catch (TimeoutException e) {
      throw new BadInput(
          "The trainer %s did not start within %d s.".formatted(node, START.toSeconds()), way);
    }
  }

  /** Waits until it can join, and returns as what. */
  public Member member() throws InterruptedException {
    return new Member(node, role, host, awaitReady().port);
  }

  /** Waits until it can join, and returns how long after its start that was. */
  public double bootSeconds() throws InterruptedException {
    return (awaitReady().nanos - started) / 1e9;
  }

  /** Gives it an order. */
  public void tell(Order order) throws IOException {
    orders.write(Lines.of(order));
    orders.newLine();
    orders.flush();
  }

  /** Returns its next report; null if none comes in this time. */
  public @Nullable Received next(Duration atMost) throws InterruptedException {
    return reports.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns the steps of a generation that arrived since the last call. */
  public List<Seen> steps(long generation) {
    List<Received> all = new ArrayList<>();
    reports.drainTo(all);
    List<Seen> steps = new ArrayList<>();
    for (Received received : all) {
      if (received.report instanceof Report.Step step && step.generation() == generation) {
        steps.add(new Seen(received.nanos, step));
      }
    }
    return steps;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
