package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * How the workers of the built-in trainer share the servers' link: each direction serves one after
 * the other, first come, first served, so that who computes meanwhile loses nothing. Where workers
 * have slower links than the servers, several are served at once.
 *
 * <p>The workers' iterations are played through instead of averaged: unlike equation 8, which knows
 * only their number, this sees that workers who compute long rarely meet.
 *
 * @param wire how many times the ideal time a transfer takes
 * @param turnSeconds what each transfer takes besides, while nobody else is served
 * @param ownSeconds what an iteration takes besides, without keeping others waiting
 */
public record TurnTaking(double wire, double turnSeconds, double ownSeconds) {

  private static final int WARM_UP = 50;
  private static final int ITERATIONS = 300;

  public TurnTaking {
    if (!(wire > 0 && turnSeconds >= 0 && ownSeconds >= 0)
        || !Double.isFinite(wire + turnSeconds + ownSeconds)) {
      throw new BadInput(
          "The turns at the servers (wire=%s, turnSeconds=%s, ownSeconds=%s) are not usable."
              .formatted(wire, turnSeconds, ownSeconds),
          "Maybe measure them again: wire is above 0, seconds are at least 0.");
    }
  }

  /** Returns what an iteration of a worker alone takes besides computing. */
  double aloneSeconds(DataSize parameters, Bandwidth link) {
    return 2 * transferSeconds(parameters, link.bytesPerSecond()) + ownSeconds;
  }

  /**
   * Returns what an iteration of each of this many workers of one type takes besides computing:
   * they miss each other until the servers' link is full, and then have to wait until it has served
   * all.
   */
  double sharedSeconds(WorkerType type, int workers, DataSize parameters, Bandwidth servers) {
    int atOnce = atOnce(servers, type);
    double transfer = transferSeconds(parameters, rate(servers, type, atOnce));
    double round = workers * transfer / atOnce;
    return Math.max(2 * transfer + ownSeconds, round - type.computeSeconds());
  }

  /** Returns how many workers of this type fill the servers' link. */
  private static int atOnce(Bandwidth servers, WorkerType type) {
    return (int)
        Math.max(1, Math.round(servers.bytesPerSecond() / type.request().bytesPerSecond()));
  }

  private static double rate(Bandwidth servers, WorkerType type, int atOnce) {
    return Math.min(type.request().bytesPerSecond(), servers.bytesPerSecond() / atOnce);
  }

  private double transferSeconds(DataSize parameters, double bytesPerSecond) {
    return wire * parameters.bytes() / bytesPerSecond + turnSeconds;
  }

  /** Where a worker is in its iteration. */
  private enum Stage {
    PULL,
    PUSH,
    END
  }

  private static final class Worker {
    final double computeSeconds;
    final double transferSeconds;
    double time;
    Stage stage = Stage.PULL;
    int iterations;
    double firstEnd;
    double lastEnd;
    double waited;

    Worker(double computeSeconds, double transferSeconds) {
      this.computeSeconds = computeSeconds;
      this.transferSeconds = transferSeconds;
    }
  }

  /** What the workers of one type do: seconds of an iteration, and of these spent in waiting. */
  record Pace(double iterationSeconds, double waitSeconds) {}

  /** Returns the pace of each group's workers. */
  List<Pace> paces(List<WorkerGroup> groups, DataSize parameters, Bandwidth servers) {
    List<List<Worker>> all = new ArrayList<>();
    PriorityQueue<Worker> next =
        new PriorityQueue<>(Comparator.comparingDouble(worker -> worker.time));
    int atOnce =
        groups.stream().mapToInt(group -> atOnce(servers, group.type())).min().orElseThrow();
    for (WorkerGroup group : groups) {
      WorkerType type = group.type();
      double transfer = transferSeconds(parameters, rate(servers, type, atOnce));
      List<Worker> workers = new ArrayList<>();
      for (int i = 0; i < group.count(); i++) {
        workers.add(new Worker(type.computeSeconds(), transfer));
      }
      all.add(workers);
      next.addAll(workers);
    }
    play(next, atOnce);
    return all.stream().map(TurnTaking::pace).toList();
  }

  /** Plays until every worker has done enough. */
  private void play(PriorityQueue<Worker> next, int atOnce) {
    double[] pulls = new double[atOnce];
    double[] pushes = new double[atOnce];
    int unfinished = next.size();
    while (unfinished > 0) {
      Worker worker = next.remove();
      switch (worker.stage) {
        case PULL -> {
          serve(worker, pulls);
          worker.time += worker.computeSeconds;
          worker.stage = Stage.PUSH;
        }
        case PUSH -> {
          serve(worker, pushes);
          worker.time += ownSeconds;
          worker.stage = Stage.END;
        }
        case END -> {
          worker.iterations++;
          if (worker.iterations == WARM_UP) {
            worker.firstEnd = worker.time;
            worker.waited = 0;
          }
          if (worker.iterations <= WARM_UP + ITERATIONS) {
            worker.lastEnd = worker.time;
          }
          if (worker.iterations == WARM_UP + ITERATIONS) {
            unfinished--;
          }
          worker.stage = Stage.PULL;
        }
      }
      next.add(worker);
    }
  }

  /** Lets a worker use the channel that is free first. */
  private static void serve(Worker worker, double[] freeAt) {
    int first = 0;
    for (int i = 1; i < freeAt.length; i++) {
      if (freeAt[i] < freeAt[first]) {
        first = i;
      }
    }
    double begin = Math.max(worker.time, freeAt[first]);
    if (worker.iterations < WARM_UP + ITERATIONS) {
      worker.waited += begin - worker.time;
    }
    worker.time = begin + worker.transferSeconds;
    freeAt[first] = worker.time;
  }

  private static Pace pace(List<Worker> workers) {
    double rate = 0;
    double waited = 0;
    for (Worker worker : workers) {
      rate += ITERATIONS / (worker.lastEnd - worker.firstEnd);
      waited += worker.waited / ITERATIONS;
    }
    return new Pace(workers.size() / rate, waited / workers.size());
  }
}
