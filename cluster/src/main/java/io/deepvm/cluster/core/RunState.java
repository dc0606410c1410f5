package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the machine knows of a run: the fold of its event log. Two states of the same
 * facts and events are equal, so a coordinator that reads the log decides as the one before it.
 *
 * @param facts what is fixed for the run
 * @param coordination who coordinates the run, and since when
 * @param phase where the run is in its life
 * @param membership the newest generation
 * @param lives all nodes by name, in the order of their rental
 * @param steps how far the work has come
 * @param troubles what may end the run, or parts of it
 * @param pools what is known of the pools
 */
public record RunState(
    RunFacts facts,
    Coordination coordination,
    Phase phase,
    Membership membership,
    Map<String, NodeLife> lives,
    Steps steps,
    Troubles troubles,
    PoolFacts pools) {

  /**
   * Who coordinates the run, and since when.
   *
   * @param epoch counts the coordinators that opened the run
   * @param openedMs when the newest one did
   * @param atMs the time of the newest event
   */
  public record Coordination(long epoch, long openedMs, long atMs) {}

  /**
   * Where the run is in its life.
   *
   * @param outcome the phase that a stopping run ends in
   * @param sinceMs when the run last began to wait or to stop; during a stop, when output arrived
   * @param sinceMarketMs the same in the market's time
   * @param saidMs when the run last reported that it waits
   */
  public record Phase(
      RunPhase now,
      String reason,
      RunPhase outcome,
      long sinceMs,
      long sinceMarketMs,
      long saidMs) {

    static final Phase FIRST = new Phase(RunPhase.WAITING, "", RunPhase.STOPPED, 0, 0, 0);

    Phase said(long ms) {
      return new Phase(now, reason, outcome, sinceMs, sinceMarketMs, ms);
    }

    Phase since(long ms) {
      return new Phase(now, reason, outcome, ms, sinceMarketMs, saidMs);
    }
  }

  /**
   * What may end the run, or parts of it.
   *
   * @param parting the stop that waits for a server to save; null if there is none
   * @param failure the failed command that is looked into; null if there is none
   * @param unheard how many nodes in a row died before their agent reported
   */
  record Troubles(@Nullable Parting parting, @Nullable Failure failure, int unheard) {
    static final Troubles NONE = new Troubles(null, null, 0);

    Troubles with(@Nullable Parting other) {
      return new Troubles(other, failure, unheard);
    }

    Troubles with(@Nullable Failure other) {
      return new Troubles(parting, other, unheard);
    }

    Troubles unheard(int count) {
      return new Troubles(parting, failure, count);
    }
  }

  /** What is known of the pools: until when they are not asked, and their spot prices. */
  record PoolFacts(Map<Integer, Long> withheld, Map<Integer, Long> spotPrices) {}

  /** Returns the state before the first event. */
  public static RunState of(RunFacts facts) {
    return new RunState(
        facts,
        new Coordination(0, 0, 0),
        Phase.FIRST,
        Membership.NONE,
        Map.of(),
        Steps.NONE,
        Troubles.NONE,
        new PoolFacts(Map.of(), Map.of()));
  }

  /** Returns the state after the events. */
  public static RunState of(RunFacts facts, Iterable<Logged> events) {
    RunState state = of(facts);
    for (Logged logged : events) {
      state = state.after(logged);
    }
    return state;
  }

  /** Returns the state after one more event; throws if the event cannot follow. */
  public RunState after(Logged logged) {
    Coordination now = new Coordination(epoch(), openedMs(), Math.max(atMs(), logged.atMs()));
    return RunFold.after(with(now), logged);
  }

  RunState with(Coordination other) {
    return new RunState(facts, other, phase, membership, lives, steps, troubles, pools);
  }

  RunState with(Phase other) {
    return new RunState(facts, coordination, other, membership, lives, steps, troubles, pools);
  }

  RunState with(Membership other) {
    return new RunState(facts, coordination, phase, other, lives, steps, troubles, pools);
  }

  RunState with(Steps other) {
    return new RunState(facts, coordination, phase, membership, lives, other, troubles, pools);
  }

  RunState with(Troubles other) {
    return new RunState(facts, coordination, phase, membership, lives, steps, other, pools);
  }

  RunState with(PoolFacts other) {
    return new RunState(facts, coordination, phase, membership, lives, steps, troubles, other);
  }

  RunState with(NodeLife life) {
    Map<String, NodeLife> more = new LinkedHashMap<>(lives);
    more.put(life.name(), life);
    return new RunState(facts, coordination, phase, membership, more, steps, troubles, pools);
  }

  /** Returns how many coordinators opened the run so far. */
  public long epoch() {
    return coordination.epoch();
  }

  /** Returns when the newest coordinator opened the run. */
  public long openedMs() {
    return coordination.openedMs();
  }

  /** Returns the time of the newest event. */
  public long atMs() {
    return coordination.atMs();
  }

  /** Whether the run is in this phase. */
  public boolean is(RunPhase which) {
    return phase.now() == which;
  }

  /** Returns all nodes in the order of their rental. */
  public Collection<NodeLife> nodes() {
    return Collections.unmodifiableCollection(lives.values());
  }

  /** Returns the nodes that count. */
  public List<NodeLife> living() {
    return lives.values().stream().filter(NodeLife::lives).toList();
  }

  /** Returns the node, which must exist. */
  public NodeLife node(String name) {
    NodeLife life = lives.get(name);
    if (life == null) {
      throw new IllegalStateException("The node %s was never ordered.".formatted(name));
    }
    return life;
  }

  /** Returns the node; null if no node ever had the name. */
  public @Nullable NodeLife find(String name) {
    return lives.get(name);
  }

  /** Returns the members of the newest generation. */
  public List<NodeLife> members() {
    return membership.names().stream().map(this::node).toList();
  }

  @Nullable Parting parting() {
    return troubles.parting();
  }

  @Nullable Failure failure() {
    return troubles.failure();
  }

  /** Returns how many nodes in a row died before their agent reported. */
  int unheard() {
    return troubles.unheard();
  }

  /** Returns until when the pool is not asked for nodes. */
  public long withheldUntil(int pool) {
    return pools.withheld().getOrDefault(pool, 0L);
  }

  /** Returns the spot price as last reported; -1 before. */
  public long spotPrice(int pool) {
    return pools.spotPrices().getOrDefault(pool, -1L);
  }

  /** Whether the end of the run is decided. */
  public boolean isOver() {
    return is(RunPhase.STOPPING) || phase.now().isEnd() || is(RunPhase.INTERRUPTED);
  }

  /** Whether there is work left that members are needed for. */
  boolean goesOn() {
    return !isOver() && !steps.finishing();
  }

  /** Whether missing nodes are worth renting. */
  public boolean rents() {
    return goesOn() && parting() == null;
  }

  /** Whether the agent of the node reported to this coordinator. */
  boolean heard(NodeLife life) {
    return life.agent() != null && life.agent().epoch() == epoch();
  }
}
