package io.deepvm.bench.prediction;

import io.deepvm.bench.machine.Cores;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.Player;
import io.deepvm.trainer.Player.Seen;
import io.deepvm.trainer.TrainerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes of the built-in trainer on this machine, each behind a link of its own, of which any
 * can be formed to a cluster.
 */
public final class LocalClusters implements AutoCloseable {

  /** Speeds are stated below 1, since a process at speed 1 does not wait for the stated time. */
  private static final double FASTEST = 0.5;

  /** When other machines took more of the cores than this, a measurement says nothing. */
  private static final double MOST_STOLEN = 0.04;

  private static final int ATTEMPTS = 8;

  private final ShapedNetwork network;
  private final List<Player> servers = new ArrayList<>();
  private final List<Player> workers = new ArrayList<>();
  private final List<Double> speeds = new ArrayList<>();
  private long generation;

  /**
   * Starts processes of these speeds, and servers.
   *
   * @param microBatchSeconds what a micro-batch takes at speed 1
   */
  public LocalClusters(
      Path job, int serverCount, Map<Double, Integer> pool, double microBatchSeconds)
      throws IOException, InterruptedException {
    int workerCount = pool.values().stream().mapToInt(Integer::intValue).sum();
    network = new ShapedNetwork(serverCount + workerCount);
    // Whoever interrupts it shall not be left with namespaces.
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    try {
      for (int i = 0; i < serverCount; i++) {
        servers.add(player(Role.SERVER, job, FASTEST, microBatchSeconds));
      }
      for (Map.Entry<Double, Integer> entry : new LinkedHashMap<>(pool).entrySet()) {
        for (int i = 0; i < entry.getValue(); i++) {
          workers.add(player(Role.WORKER, job, FASTEST * entry.getKey(), microBatchSeconds));
          speeds.add(entry.getKey());
        }
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private Player player(Role role, Path job, double speed, double microBatchSeconds)
      throws IOException {
    int node = servers.size() + workers.size();
    List<String> command = new ArrayList<>(network.inside(node));
    command.addAll(TrainerProcess.command(job));
    return new Player(
        "n" + node,
        role,
        network.host(node),
        command,
        Map.of(
            "DEEPVM_HOST",
            network.host(node),
            "DEEPVM_TOKEN",
            "of-the-prediction-study",
            "DEEPVM_SPEED",
            Double.toString(speed),
            "DEEPVM_MICRO_BATCH_SECONDS",
            Double.toString(FASTEST * microBatchSeconds)),
        ProcessBuilder.Redirect.appendTo(job.resolveSibling("n" + node + ".log").toFile()));
  }

  /** Forms a cluster, lets it warm up and measures it. */
  public Measured measure(Cluster cluster, int microBatch, Duration warmUp, Duration time)
      throws IOException, InterruptedException {
    List<Integer> chosen = new ArrayList<>();
    for (double speed : cluster.speeds()) {
      int next = 0;
      while (chosen.contains(next) || speeds.get(next) != speed) {
        next++;
      }
      chosen.add(next);
    }
    List<Player> players = new ArrayList<>(servers);
    for (int i = 0; i < servers.size(); i++) {
      network.shape(i, cluster.megabits());
    }
    for (int each : chosen) {
      players.add(workers.get(each));
      network.shape(servers.size() + each, cluster.megabits());
    }
    generation++;
    List<Member> members = new ArrayList<>();
    for (Player player : players) {
      members.add(player.member());
    }
    for (int rank = 0; rank < players.size(); rank++) {
      players.get(rank).tell(new Order.Form(generation, rank, members));
    }
    Thread.sleep(warmUp.toMillis());
    List<Player> chosenWorkers = players.subList(servers.size(), players.size());
    Measured best = attempt(chosenWorkers, microBatch, time);
    for (int again = 1; again < ATTEMPTS && best.stolenShare() > MOST_STOLEN; again++) {
      Measured next = attempt(chosenWorkers, microBatch, time);
      best = next.stolenShare() < best.stolenShare() ? next : best;
    }
    return best;
  }

  private Measured attempt(List<Player> players, int microBatch, Duration time)
      throws IOException, InterruptedException {
    long from = System.nanoTime();
    Cores before = Cores.now();
    Thread.sleep(time.toMillis());
    long to = System.nanoTime();
    Cores after = Cores.now();
    return summary(players, from, to, microBatch)
        .with(after.busyShare(before), after.stolenShare(before));
  }

  private Measured summary(List<Player> players, long from, long to, int microBatch)
      throws IOException {
    double rate = 0;
    List<List<Seen>> all = new ArrayList<>();
    for (Player player : players) {
      List<Seen> heard =
          player.steps(generation).stream()
              .filter(seen -> seen.nanos() >= from && seen.nanos() < to)
              .toList();
      if (heard.size() < 3) {
        throw new IOException("Only %d steps were taken.".formatted(heard.size()));
      }
      all.add(heard);
      Seen first = heard.get(0);
      Seen last = heard.get(heard.size() - 1);
      double seconds = (last.nanos() - first.nanos()) / 1e9;
      // Asynchronous workers count for themselves; those that average report the samples of all.
      rate +=
          servers.isEmpty()
              ? (last.step().samples() - first.step().samples()) / seconds / players.size()
              : (heard.size() - 1) * microBatch / seconds;
    }
    return servers.isEmpty() ? together(rate, all) : apart(rate, all);
  }

  /** Of each step, whoever waited and sent least is whom the others waited for. */
  private static Measured together(double rate, List<List<Seen>> all) {
    Map<Long, Report.Step> last = new HashMap<>();
    for (List<Seen> heard : all) {
      for (Seen each : heard) {
        last.merge(each.step().step(), each.step(), (a, b) -> besides(a) <= besides(b) ? a : b);
      }
    }
    return mean(rate, List.copyOf(last.values()));
  }

  /** Returns the seconds of a step besides computing. */
  private static double besides(Report.Step step) {
    return step.communicationSeconds() + step.waitSeconds();
  }

  private static Measured apart(double rate, List<List<Seen>> all) {
    return mean(rate, all.stream().flatMap(List::stream).map(Seen::step).toList());
  }

  private static Measured mean(double rate, List<Report.Step> steps) {
    double compute = 0;
    double communicate = 0;
    for (Report.Step step : steps) {
      compute += step.computeSeconds();
      communicate += besides(step);
    }
    int count = steps.size();
    return new Measured(rate, compute / count, communicate / count, 0, 0);
  }

  @Override
  public void close() {
    workers.forEach(Player::close);
    servers.forEach(Player::close);
    network.close();
  }
}
