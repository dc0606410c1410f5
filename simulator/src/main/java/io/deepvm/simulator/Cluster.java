package io.deepvm.simulator;

import io.deepvm.catalog.Market;

/** What a policy sees of the running cluster, and what it may do about it. */
public interface Cluster {

  /** Seconds since the start. */
  double now();

  /**
   * Seconds from the start by which the work should be done; infinite when there is no deadline.
   */
  double deadline();

  /** Seconds until a policy is asked again. */
  double tickSeconds();

  /** Units of work in all. */
  double work();

  /** Units done so far, in the members' memory. */
  double done();

  /** Units done that would survive the loss of all spot nodes now. */
  double safe();

  /** The most members that are of use. */
  int workers();

  int pools();

  /** Spot nodes held in the pool, those that boot included. */
  int spot(int pool);

  /** On-demand nodes held in the pool, those that boot included. */
  int onDemand(int pool);

  /** Nodes held in the pool that are still starting up. */
  int booting(int pool, Market market);

  /** Spot nodes of the pool that have a notice. */
  int noticed(int pool);

  /** Whether the members train at this moment. */
  boolean training();

  double spotUsdPerHour(int pool);

  double onDemandUsdPerHour(int pool);

  /** Returns the speed of this many members of each pool. */
  double unitsPerSecond(int[] members);

  /** What sending the state from one pool to another costs. */
  double moveUsd(int from, int to);

  /** The pool where the state is: of the last generation's first member; -1 before the first. */
  int home();

  /** The plan's fixed facts. */
  Scenario scenario();

  /** Asks for nodes and returns how many there were; a refusal costs nothing. */
  int rent(int pool, Market market, int count);

  /** Asks for nodes, all or none; a refusal costs nothing. */
  boolean rentAll(int pool, Market market, int count);

  /** Gives nodes back, the youngest first. */
  void release(int pool, Market market, int count);

  /**
   * Looks whether the pool has this many more spot nodes, by renting them for the shortest time.
   */
  boolean probe(int pool, int count);
}
