package io.deepvm.cluster;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.agent.Work;

/**
 * What was asked of a run; kept in its folder.
 *
 * @param name what the run is called
 * @param minWorkers fewer do not train
 * @param servers how many on-demand nodes keep parameters instead of computing
 * @param serverPool the pool that these are rented from
 * @param samplesPerUnit how many samples a unit of the scenario's work is
 * @param patience how long the coordinator waits
 * @param port where the coordinator listens to agents; 0 for any free port
 */
public record RunSpec(
    String name,
    Work work,
    int minWorkers,
    int servers,
    int serverPool,
    double samplesPerUnit,
    Patience patience,
    int port) {

  /**
   * How long the coordinator waits.
   *
   * @param bootSeconds from an order until the node's agent must have reported
   * @param joinSeconds for which nodes that get ready are gathered before a generation is formed
   * @param firstSeconds for which the first generation waits for nodes that still boot
   * @param blameSeconds after a process failed, in which a lost node may turn out to be the cause
   */
  public record Patience(
      double bootSeconds, double joinSeconds, double firstSeconds, double blameSeconds) {

    /** What suits one region. */
    public static final Patience USUAL = new Patience(120, 0.3, 5, 1);
  }

  public RunSpec {
    requireName(name);
    if (work.command().isEmpty()) {
      throw new BadInput(
          "The run %s has no command.".formatted(name), "Maybe name the training program.");
    }
    if (minWorkers < 1) {
      throw new BadInput(
          "The least number of workers (%d) must be above 0.".formatted(minWorkers),
          "Maybe leave it out.");
    }
  }

  /** Refuses what is no name for a run. */
  public static void requireName(String name) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,62}")) {
      throw new BadInput(
          "'%s' is no name for a run: letters, digits, dots, dashes and underscores make one."
              .formatted(name),
          "Maybe leave out blanks and slashes.");
    }
  }

  /** Returns a run with the usual patience. */
  public static RunSpec of(String name, Work work) {
    return new RunSpec(name, work, 1, 0, 0, 1, Patience.USUAL, 0);
  }

  /** Returns the same run that trains with no fewer workers than this. */
  public RunSpec withMinWorkers(int workers) {
    return new RunSpec(name, work, workers, servers, serverPool, samplesPerUnit, patience, port);
  }

  /** Returns the same run with nodes that keep parameters. */
  public RunSpec withServers(int count, int pool) {
    return new RunSpec(name, work, minWorkers, count, pool, samplesPerUnit, patience, port);
  }

  /** Returns the same run whose scenario counts its work in units of this many samples. */
  public RunSpec withSamplesPerUnit(double samples) {
    return new RunSpec(name, work, minWorkers, servers, serverPool, samples, patience, port);
  }

  /** Returns the same run with other patience. */
  public RunSpec withPatience(double boot, double join, double first, double blame) {
    Patience other = new Patience(boot, join, first, blame);
    return new RunSpec(name, work, minWorkers, servers, serverPool, samplesPerUnit, other, port);
  }

  /** Returns the same run whose coordinator listens on this port. */
  public RunSpec withPort(int other) {
    return new RunSpec(
        name, work, minWorkers, servers, serverPool, samplesPerUnit, patience, other);
  }
}
