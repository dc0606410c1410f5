package io.deepvm.trainer;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.Player.Seen;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.workload.averaging.BuiltInTrainer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What some seconds of real training on this machine show of a job: one process at its full speed,
 * then as many as shall train, each at its pace, in clusters of several sizes.
 *
 * @param bootSeconds from the start of all processes at once until they can join
 * @param reformSeconds for which nobody trains when members change
 * @param freshSeconds that new processes lose beside that until they are up to speed
 * @param computeSeconds of one micro-batch, by a process that nobody slows down
 * @param inStep whether members wait for each other in every step
 * @param microBatches of a step
 * @param samplesPerStep of all members together
 * @param overheads what a step takes beyond computing, by the number of members, ascending
 * @param losses of the later steps of the process alone
 */
public record Rehearsal(
    double bootSeconds,
    double reformSeconds,
    double freshSeconds,
    double computeSeconds,
    boolean inStep,
    int microBatches,
    int samplesPerStep,
    List<Overhead> overheads,
    List<Double> losses) {

  private static final int LEAST = 8;
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final int HALVINGS = 60;

  /** The seconds of a step beyond computing with this many members. */
  public record Overhead(int members, double seconds) {}

  public Rehearsal {
    overheads = List.copyOf(overheads);
    losses = List.copyOf(losses);
  }

  /**
   * Trains for about this long with each of several sizes of a cluster, twice as long with several
   * processes that are all new, and keeps nothing of it.
   *
   * @param command how a training process is started
   * @param speeds of each member there shall be, 1 for that of a process nobody slows down
   */
  public static Rehearsal of(TrainingJob job, List<String> command, double[] speeds, Duration each)
      throws IOException, InterruptedException {
    boolean inStep = job.strategy() == TrainingJob.Strategy.AVERAGING;
    double compute;
    List<Double> losses;
    try (Cast alone = new Cast(command, inStep, new double[] {1}, 0)) {
      List<Seen> steps = alone.play(1, each).steps();
      compute = median(steps) / (inStep ? job.microBatches() : 1);
      losses = steps.stream().map(seen -> seen.step().loss()).toList();
    }
    try (Cast cast = new Cast(command, inStep, speeds, compute)) {
      Rehearsal known =
          new Rehearsal(
              cast.bootSeconds(),
              0,
              0,
              compute,
              inStep,
              inStep ? job.microBatches() : 1,
              inStep ? job.targetBatch() : job.microBatch(),
              List.of(new Overhead(1, 0)),
              losses);
      List<Overhead> overheads = new ArrayList<>();
      double reform = 0;
      double fresh = 0;
      for (int members : sizes(speeds.length)) {
        // Several that are new beside each other take longer to get up to speed.
        boolean crowd = members > 1 && overheads.isEmpty();
        Scene scene = cast.play(members, crowd ? each.multipliedBy(2) : each);
        double step = known.samplesPerStep / scene.samplesPerSecond();
        double beyond = known.beyond(step, Arrays.copyOf(speeds, members));
        double formed = Math.max(0, scene.firstSeconds() - step);
        fresh = overheads.isEmpty() ? formed + scene.lostSeconds() : fresh;
        // Only those that come after the first are of processes that have trained before.
        reform = overheads.size() < 2 ? formed : Math.max(reform, formed);
        overheads.add(0, new Overhead(members, beyond));
      }
      return new Rehearsal(
          known.bootSeconds,
          reform,
          Math.max(0, fresh - reform),
          compute,
          inStep,
          known.microBatches,
          known.samplesPerStep,
          overheads,
          losses);
    }
  }

  /** Returns the largest first: when the others play, no process is new any more. */
  private static List<Integer> sizes(int most) {
    return Stream.of(most, 2, 1).filter(size -> size <= most).distinct().toList();
  }

  /** Returns what is left of a step's seconds when computing is taken away. */
  private double beyond(double seconds, double[] speeds) {
    double least = 0;
    double most = seconds * speeds.length;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (least + most) / 2;
      if (stepSeconds(speeds, middle) < seconds) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return least;
  }

  /**
   * Returns the seconds of a step with members of these speeds, 1 for that of a process nobody
   * slows down.
   */
  public double stepSeconds(double... speeds) {
    return stepSeconds(speeds, overhead(speeds.length));
  }

  private double stepSeconds(double[] speeds, double overhead) {
    if (inStep) {
      double[] each = Arrays.stream(speeds).map(speed -> computeSeconds / speed).toArray();
      return BuiltInTrainer.handOutSeconds(each, microBatches) + overhead;
    }
    double perSecond = 0;
    for (double speed : speeds) {
      perSecond += 1 / (computeSeconds / speed + overhead);
    }
    return 1 / perSecond;
  }

  /** Returns what was measured for this many members, or what lies between and beyond. */
  private double overhead(int members) {
    int next = 1;
    while (next < overheads.size() - 1 && overheads.get(next).members < members) {
      next++;
    }
    Overhead one = overheads.get(next - 1);
    if (overheads.size() == 1) {
      return one.seconds;
    }
    Overhead other = overheads.get(next);
    double slope = (other.seconds - one.seconds) / (other.members - one.members);
    return Math.max(0, one.seconds + slope * (members - one.members));
  }

  /** Returns how many samples members of these speeds train on in a second. */
  public double samplesPerSecond(double... speeds) {
    return samplesPerStep / stepSeconds(speeds);
  }

  private static double median(List<Seen> steps) {
    double[] sorted = steps.stream().mapToDouble(s -> s.step().computeSeconds()).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  /**
   * A cluster that trained for a while.
   *
   * @param firstSeconds from the order to form until the first step was done
   * @param earlySeconds from then until the first of the later steps was done
   * @param earlySamples trained on in these
   * @param steps the later ones, at the speed that lasts
   */
  private record Scene(
      double firstSeconds, double earlySeconds, double earlySamples, List<Seen> steps) {

    /** Returns how much sooner the later steps had come, had those before been as fast. */
    double lostSeconds() {
      return Math.max(0, earlySeconds - earlySamples / samplesPerSecond());
    }

    double samplesPerSecond() {
      Seen first = steps.get(0);
      Seen last = steps.get(steps.size() - 1);
      return (last.step().samples() - first.step().samples())
          / ((last.nanos() - first.nanos()) / 1e9);
    }
  }

  /** Training processes that take part, and a parameter server if they need one. */
  private static final class Cast implements AutoCloseable {
    private final List<Player> players = new ArrayList<>();
    private final int servers;
    private final double boot;
    private long generation;

    Cast(List<String> command, boolean inStep, double[] speeds, double microBatchSeconds)
        throws IOException, InterruptedException {
      servers = inStep ? 0 : 1;
      try {
        for (int i = 0; i < servers; i++) {
          players.add(player("server-" + i, Role.SERVER, command, 1, 0));
        }
        for (int i = 0; i < speeds.length; i++) {
          players.add(player("worker-" + i, Role.WORKER, command, speeds[i], microBatchSeconds));
        }
        double slowest = 0;
        for (Player player : players) {
          slowest = Math.max(slowest, player.bootSeconds());
        }
        boot = slowest;
      } catch (IOException | InterruptedException | RuntimeException e) {
        close();
        throw e;
      }
    }

    private static Player player(
        String node, Role role, List<String> command, double speed, double microBatchSeconds)
        throws IOException {
      return new Player(
          node,
          role,
          "127.0.0.1",
          command,
          Map.of(
              "DEEPVM_SPEED",
              Double.toString(speed),
              "DEEPVM_MICRO_BATCH_SECONDS",
              Double.toString(microBatchSeconds)),
          ProcessBuilder.Redirect.DISCARD);
    }

    double bootSeconds() {
      return boot;
    }

    /** Lets the first this many workers train. */
    Scene play(int workers, Duration each) throws IOException, InterruptedException {
      generation++;
      List<Player> taken = players.subList(0, servers + workers);
      List<Member> members = new ArrayList<>();
      for (Player player : taken) {
        members.add(player.member());
      }
      long ordered = System.nanoTime();
      for (int rank = 0; rank < taken.size(); rank++) {
        taken.get(rank).tell(new Order.Form(generation, rank, members));
      }
      List<Seen> steps = steps(players.get(servers), each);
      if (steps.size() < LEAST) {
        throw new BadInput(
            "Only %d steps were done, and %d are needed, half of them to warm up."
                .formatted(steps.size(), LEAST),
            "Maybe give the job more steps, or smaller ones.");
      }
      // Young processes are compiled while they train; the second half is what will last.
      List<Seen> late = steps.subList(steps.size() / 2, steps.size());
      Seen first = steps.get(0);
      Seen firstLate = late.get(0);
      return new Scene(
          (first.nanos() - ordered) / 1e9,
          (firstLate.nanos() - first.nanos()) / 1e9,
          firstLate.step().samples() - first.step().samples(),
          late);
    }

    /**
     * Returns the steps it takes in this generation until the time is over and there are enough of
     * them, or the job is done.
     */
    private List<Seen> steps(Player player, Duration atLeast) throws InterruptedException {
      List<Seen> steps = new ArrayList<>();
      long begin = System.nanoTime();
      while (steps.size() < LEAST || System.nanoTime() - begin < atLeast.toNanos()) {
        long left = begin + LONGEST.toNanos() - System.nanoTime();
        Player.Received received = player.next(Duration.ofNanos(Math.max(0, left)));
        if (received == null || received.report() instanceof Report.Finished) {
          return steps;
        }
        if (received.report() instanceof Report.Formed formed
            && formed.generation() == generation) {
          begin = System.nanoTime();
        } else if (received.report() instanceof Report.Step step
            && step.generation() == generation) {
          steps.add(new Seen(received.nanos(), step));
        }
      }
      return steps;
    }

    @Override
    public void close() {
      players.forEach(Player::close);
    }
  }
}
