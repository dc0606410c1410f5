package io.deepvm.trainer;

import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.units.BadInput;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a few seconds of real steps on this machine tell of a job: with one process alone, then with
 * two. Times are medians.
 *
 * @param bootSeconds from the start of processes, as many at once as shall train, until they can
 *     join
 * @param computeSeconds of one micro-batch, by a process that nobody slows down
 * @param ownSeconds of a step besides computing, with one member: taking the step itself
 * @param pairSeconds likewise with two members, who exchange what they found
 * @param microBatches of a step
 * @param samplesPerStep of all members together
 * @param losses after each of the first steps
 */
public record Rehearsal(
    double bootSeconds,
    double computeSeconds,
    double ownSeconds,
    double pairSeconds,
    int microBatches,
    int samplesPerStep,
    List<Double> losses) {

  private static final int WARM_UP = 3;
  private static final int LEAST = 8;
  private static final Duration START = Duration.ofSeconds(60);

  public Rehearsal {
    losses = List.copyOf(losses);
  }

  /**
   * Trains for about so long with one member and again with two, and keeps nothing of it.
   *
   * @param processes how many are started at once; at least two
   */
  public static Rehearsal of(Path file, int processes, Duration each)
      throws IOException, InterruptedException {
    TrainingJob job = TrainingJob.read(file);
    List<Player> players = new ArrayList<>();
    try {
      for (int i = 0; i < Math.max(2, processes); i++) {
        players.add(new Player("rehearsal-" + i, file));
      }
      double boot = 0;
      for (Player player : players) {
        boot = Math.max(boot, player.awaitReady());
      }
      List<Report.Step> alone = play(players.subList(0, 1), 1, each);
      List<Report.Step> pair = play(players.subList(0, 2), 2, each);
      int micro = job.microBatches();
      return new Rehearsal(
          boot,
          median(alone, step -> step.computeSeconds() / micro),
          median(alone, step -> step.communicationSeconds() + step.waitSeconds()),
          median(pair, Report.Step::communicationSeconds),
          micro,
          job.targetBatch(),
          alone.stream().map(Report.Step::loss).toList());
    } finally {
      players.forEach(Player::close);
    }
  }

  /**
   * Returns the seconds of a step with members of these speeds, 1 for that of a process nobody
   * slows down. Micro-batches go to whoever is free; what is exchanged grows with 2 (n - 1) / n.
   */
  public double stepSeconds(double... speeds) {
    double[] free = new double[speeds.length];
    for (int i = 0; i < microBatches; i++) {
      int next = 0;
      for (int member = 1; member < free.length; member++) {
        if (free[member] < free[next]) {
          next = member;
        }
      }
      free[next] += computeSeconds / speeds[next];
    }
    double exchange = Math.max(0, pairSeconds - ownSeconds);
    double n = speeds.length;
    return Arrays.stream(free).max().orElse(0) + ownSeconds + exchange * 2 * (n - 1) / n;
  }

  /** Returns how many samples members of these speeds train on in a second. */
  public double samplesPerSecond(double... speeds) {
    return samplesPerStep / stepSeconds(speeds);
  }

  private static List<Report.Step> play(List<Player> players, long generation, Duration each)
      throws IOException, InterruptedException {
    List<Member> members = players.stream().map(Player::member).toList();
    for (int rank = 0; rank < players.size(); rank++) {
      players.get(rank).tell(new Order.Form(generation, rank, members));
    }
    List<Report.Step> steps = players.get(0).steps(generation, each);
    if (steps.size() <= WARM_UP) {
      throw new BadInput(
          "Only %d steps were done, and the first %d are to warm up."
              .formatted(steps.size(), WARM_UP),
          "Maybe give the job more steps, or smaller ones.");
    }
    return steps.subList(WARM_UP, steps.size());
  }

  private interface Figure {
    double of(Report.Step step);
  }

  private static double median(List<Report.Step> steps, Figure figure) {
    double[] sorted = steps.stream().mapToDouble(figure::of).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  /** One training process, told what to do as an agent would. */
  private static final class Player implements AutoCloseable {
    private final String node;
    private final Process process;
    private final BufferedWriter orders;
    private final BlockingQueue<Report> reports = new LinkedBlockingQueue<>();
    private final long started = System.nanoTime();
    private int port;

    Player(String node, Path job) throws IOException {
      this.node = node;
      ProcessBuilder builder = new ProcessBuilder(TrainerProcess.command(job));
      builder.environment().put("OMP_NUM_THREADS", "1");
      // a rehearsal leaves nothing behind
      builder.environment().put("DEEPVM_CHECKPOINT", "");
      builder.redirectError(ProcessBuilder.Redirect.DISCARD);
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
          if (report != null) {
            reports.add(report);
          }
        }
      } catch (IOException e) {
        // it has ended
      }
    }

    double awaitReady() throws InterruptedException {
      Report report = reports.poll(START.toMillis(), TimeUnit.MILLISECONDS);
      if (!(report instanceof Report.Ready ready)) {
        throw new BadInput(
            "The trainer did not start within %d s.".formatted(START.toSeconds()),
            "Maybe the job names a model or data that cannot be read.");
      }
      port = ready.port();
      return (System.nanoTime() - started) / 1e9;
    }

    Member member() {
      return new Member(node, Role.WORKER, "127.0.0.1", port);
    }

    void tell(Order order) throws IOException {
      orders.write(Lines.of(order));
      orders.newLine();
      orders.flush();
    }

    /**
     * Returns the steps it takes in a generation until the time is over and there are enough of
     * them, or the job is done.
     */
    List<Report.Step> steps(long generation, Duration atLeast) throws InterruptedException {
      List<Report.Step> steps = new ArrayList<>();
      long begin = System.nanoTime();
      while (steps.size() < LEAST || System.nanoTime() - begin < atLeast.toNanos()) {
        long left = begin + START.toNanos() - System.nanoTime();
        @Nullable Report report = reports.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
        if (report == null || report instanceof Report.Finished) {
          return steps;
        }
        if (report instanceof Report.Formed formed && formed.generation() == generation) {
          begin = System.nanoTime();
        } else if (report instanceof Report.Step step && step.generation() == generation) {
          steps.add(step);
        }
      }
      return steps;
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
