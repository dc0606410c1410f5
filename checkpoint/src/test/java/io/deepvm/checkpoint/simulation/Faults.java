package io.deepvm.checkpoint.simulation;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/** What goes wrong, and how often. The seed draws the rates, many of them zero. */
public final class Faults {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  /** The kinds of faults. */
  public enum Kind {
    /** A process dies at a step of its own. */
    KILL_AT_STEP(0.01),
    /** A machine loses power at a step of one of its processes. */
    POWER_LOSS_AT_STEP(0.01),
    /** A disk or store is slow. */
    SLOW(0.1),
    /** A disk or store takes longer than any patience. */
    STALL(0.002),
    /** A write fails, as on a full disk. */
    DISK_ERROR(0.02),
    /** A sync fails, and what it should have brought to the disk is lost. */
    SYNC_ERROR(0.02),
    /** A request is lost. */
    LOST_REQUEST(0.03),
    /** A request is served and its reply is lost. */
    LOST_REPLY(0.05),
    /** A reply comes after its timeout. */
    LATE_REPLY(0.01),
    /** A connection ends. */
    LOST_CONNECTION(0.02),
    /** A store fails a request without serving it. */
    STORE_ERROR(0.05),
    /** A store lists an object late. */
    LATE_LISTING(0.5),
    /** Memory runs out. */
    NO_MEMORY(0.002);

    private final double most;

    Kind(double most) {
      this.most = most;
    }
  }

  private final World world;
  private final SplittableRandom random;
  private final Map<Kind, Double> rates = new EnumMap<>(Kind.class);

  /** How often a step takes a moment, which lets others act between two steps. */
  private final double latency;

  private boolean active = true;

  Faults(World world, SplittableRandom random) {
    this.world = world;
    this.random = random;
    latency = random.nextDouble() * 0.3;
    for (Kind kind : Kind.values()) {
      // a swarm: a run without some kinds of faults gets further into others
      rates.put(kind, random.nextInt(3) == 0 ? kind.most * random.nextDouble() : 0.0);
    }
  }

  /** Stops all faults, or lets them begin again. */
  public void setActive(boolean on) {
    active = on;
  }

  /** Returns whether the store may list objects late in this run. */
  public boolean listsLate() {
    return rates.get(Kind.LATE_LISTING) > 0;
  }

  /** Returns whether faults happen now. */
  public boolean isActive() {
    return active;
  }

  /** Returns whether the seed says that this goes wrong now, and counts it. */
  boolean happens(Kind kind) {
    double rate = rates.get(kind);
    if (!active || rate == 0 || random.nextDouble() >= rate) {
      return false;
    }
    world.count(World.Count.FAULTS);
    return true;
  }

  SplittableRandom random() {
    return random;
  }

  /** A step of the caller's process: it may die here, or wait, or let others go first. */
  void step(String what) {
    SimulatedThread me = SimulatedThread.current();
    me.checkAlive();
    SimulatedProcess process = me.process();
    world.event(process.name(), what);
    if (happens(Kind.KILL_AT_STEP)) {
      process.kill();
    }
    if (happens(Kind.POWER_LOSS_AT_STEP)) {
      process.machine().losePower();
    }
    if (happens(Kind.STALL)) {
      world.event(process.name(), "stalls");
      world.sleep(random.nextLong(120 * SECOND));
    } else if (happens(Kind.SLOW)) {
      world.sleep(random.nextLong(2 * SECOND));
    } else if (random.nextDouble() < latency) {
      world.sleep(random.nextLong(50 * MILLI));
    } else {
      world.scheduler().point(me);
    }
  }

  void mayFail(Kind kind, String what) throws IOException {
    if (happens(kind)) {
      world.event(SimulatedThread.current().process().name(), "fails: " + what);
      throw new IOException("Simulated: " + what + " failed.");
    }
  }

  void allocating(int bytes) {
    SimulatedThread.current().checkAlive();
    if (happens(Kind.NO_MEMORY)) {
      world.event(SimulatedThread.current().process().name(), "no memory for " + bytes);
      throw new OutOfMemoryError("Simulated: no " + bytes + " bytes are left.");
    }
  }
}
