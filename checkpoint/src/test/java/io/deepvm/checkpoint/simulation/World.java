package io.deepvm.checkpoint.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** All that one run consists of: the scheduler, machines, the network, and what goes wrong. */
public final class World {

  private final long seed;
  private final Trace trace;
  private final Scheduler scheduler;
  private final Faults faults;
  private final SplittableRandom ids;
  private final SplittableRandom root;
  private final List<Machine> machines = new ArrayList<>();
  private final IdentityHashMap<Object, Mutex> monitors = new IdentityHashMap<>();
  private final Map<Integer, SimulatedServer> servers = new HashMap<>();
  private final Set<SimulatedConnection> connections = new LinkedHashSet<>();
  private final List<ByteBuffer> lent = new ArrayList<>();
  private final Map<Count, Long> counts = new EnumMap<>(Count.class);

  /** Until when a process does not reach a server. */
  private final Map<String, Long> cuts = new HashMap<>();

  private int powerLosses;

  /** What the report of a run counts. */
  public enum Count {
    FAULTS,
    SAVES,
    ACKNOWLEDGED,
    RESTORES,
    SESSIONS
  }

  World(long seed, Trace trace) {
    this.seed = seed;
    this.trace = trace;
    // one source of chance a concern: a new draw in one does not shift the others
    root = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 1);
    SplittableRandom order = root.split();
    faults = new Faults(this, root.split());
    ids = root.split();
    scheduler = new Scheduler(order, trace);
  }

  /** Returns the world of the caller. */
  public static World current() {
    return SimulatedThread.current().process().world();
  }

  /** Returns the seed. */
  public long seed() {
    return seed;
  }

  /** Returns the scheduler. */
  public Scheduler scheduler() {
    return scheduler;
  }

  Trace trace() {
    return trace;
  }

  /** Returns what goes wrong. */
  public Faults faults() {
    return faults;
  }

  /** Returns a source of chance for one more concern. */
  public SplittableRandom random() {
    return root.split();
  }

  SplittableRandom ids() {
    return ids;
  }

  IdentityHashMap<Object, Mutex> monitors() {
    return monitors;
  }

  Map<Integer, SimulatedServer> servers() {
    return servers;
  }

  Set<SimulatedConnection> connections() {
    return connections;
  }

  /** Has the peers of a process that is dead or silent notice it within the usual time. */
  void silent(SimulatedProcess process) {
    for (SimulatedConnection each : List.copyOf(connections)) {
      boolean here = each.process() == process;
      if (here || each.peer().process() == process) {
        (here ? each.peer() : each).endLater();
      }
    }
  }

  /** Cuts a process off from the server of a port for a while. */
  public void cut(SimulatedProcess process, int port, long nanos) {
    event(process.name(), "cut off from " + port + " for " + nanos / 1_000_000 + " ms");
    cuts.put(process.name() + ":" + port, scheduler.now() + nanos);
  }

  boolean isCut(SimulatedProcess process, int port) {
    Long end = cuts.get(process.name() + ":" + port);
    return faults.isActive() && end != null && scheduler.now() < end;
  }

  void lostPower() {
    powerLosses++;
  }

  /** Returns how often a machine has lost power. */
  public int powerLosses() {
    return powerLosses;
  }

  /** Adds a machine with a disk of its own. */
  public Machine machine(String name) {
    Machine machine = new Machine(this, name);
    machines.add(machine);
    return machine;
  }

  /** Returns all machines. */
  public List<Machine> machines() {
    return List.copyOf(machines);
  }

  /** Starts a process on a machine. */
  public SimulatedProcess process(String name, Machine machine) {
    SimulatedProcess process = new SimulatedProcess(this, name, machine);
    machine.add(process);
    return process;
  }

  /** Notes an event. */
  public void event(String who, String what) {
    trace.event(scheduler.now(), who, what);
  }

  /** Notes that a promise was broken. */
  public void problem(String what) {
    event("checker", "PROBLEM " + what);
    trace.problem(what);
  }

  /** Counts something for the report. */
  public void count(Count what) {
    counts.merge(what, 1L, Long::sum);
  }

  long counted(Count what) {
    return counts.getOrDefault(what, 0L);
  }

  /** Lets the caller sleep. */
  public void sleep(long nanos) {
    SimulatedThread me = SimulatedThread.current();
    long until = scheduler.now() + nanos;
    while (scheduler.now() < until) {
      scheduler.block(me, until);
    }
  }

  void lend(ByteBuffer buffer) {
    lent.add(buffer);
  }

  /** Gives the memory back. */
  void clear() {
    Hooks.giveBack(lent);
    machines.forEach(machine -> machine.disk().clear());
    monitors.clear();
    servers.clear();
  }
}
