package io.deepvm.cluster;

import io.deepvm.cluster.agent.Work;
import io.deepvm.units.BadInput;

/**
 * What was asked of a run; kept in its folder.
 *
 * @param name what the run is called
 * @param minWorkers fewer do not train
 * @param servers how many nodes on demand keep parameters instead of computing; rented at the start
 * @param serverPool the pool they are rented from
 * @param samplesPerUnit how many samples a unit of the scenario's work is
 * @param bootSeconds from a request until the node's agent must have been heard
 * @param joinSeconds for which nodes that get ready are gathered before a generation is formed
 * @param firstSeconds for which the first generation waits for nodes that are still booting
 * @param blameSeconds after a process's failure in which a lost node may turn out to be its cause
 * @param keeper an external ZooKeeper, "host:port"; empty for one of its own
 * @param keeperPort where its own listens; 0 for any free port
 */
public record RunSpec(
    String name,
    Work work,
    int minWorkers,
    int servers,
    int serverPool,
    double samplesPerUnit,
    double bootSeconds,
    double joinSeconds,
    double firstSeconds,
    double blameSeconds,
    String keeper,
    int keeperPort) {

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

  /** Returns a run with the usual patience and its own ZooKeeper. */
  public static RunSpec of(String name, Work work) {
    return new RunSpec(name, work, 1, 0, 0, 1, 120, 0.3, 5, 1, "", 0);
  }

  /** Returns the same run that trains with no fewer workers than these. */
  public RunSpec withMinWorkers(int workers) {
    return new RunSpec(
        name,
        work,
        workers,
        servers,
        serverPool,
        samplesPerUnit,
        bootSeconds,
        joinSeconds,
        firstSeconds,
        blameSeconds,
        keeper,
        keeperPort);
  }

  /** Returns the same run with nodes that keep parameters. */
  public RunSpec withServers(int count, int pool) {
    return new RunSpec(
        name,
        work,
        minWorkers,
        count,
        pool,
        samplesPerUnit,
        bootSeconds,
        joinSeconds,
        firstSeconds,
        blameSeconds,
        keeper,
        keeperPort);
  }

  /** Returns the same run whose scenario counts its work in so many samples. */
  public RunSpec withSamplesPerUnit(double samples) {
    return new RunSpec(
        name,
        work,
        minWorkers,
        servers,
        serverPool,
        samples,
        bootSeconds,
        joinSeconds,
        firstSeconds,
        blameSeconds,
        keeper,
        keeperPort);
  }

  /** Returns the same run with other patience. */
  public RunSpec withPatience(double boot, double join, double first, double blame) {
    return new RunSpec(
        name,
        work,
        minWorkers,
        servers,
        serverPool,
        samplesPerUnit,
        boot,
        join,
        first,
        blame,
        keeper,
        keeperPort);
  }

  /** Returns the same run on a ZooKeeper at the address, or on its own at the port. */
  public RunSpec withKeeper(String address, int port) {
    return new RunSpec(
        name,
        work,
        minWorkers,
        servers,
        serverPool,
        samplesPerUnit,
        bootSeconds,
        joinSeconds,
        firstSeconds,
        blameSeconds,
        address,
        port);
  }
}
