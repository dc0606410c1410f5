package io.deepvm.checkpoint.simulation;

import java.time.Instant;
import java.time.InstantSource;

/** A process that can be killed, paused, or have its wall clock set. */
public final class SimulatedProcess {

  /** Unwinds the threads of a process that was killed. */
  public static final class Died extends ThreadDeath {}

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final World world;
  private final String name;
  private final Machine machine;
  private final SimulatedFiles files = new SimulatedFiles(this);
  boolean dead;
  long pausedUntil;
  private long clockOffset;

  SimulatedProcess(World world, String name, Machine machine) {
    this.world = world;
    this.name = name;
    this.machine = machine;
  }

  World world() {
    return world;
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the machine it runs on. */
  public Machine machine() {
    return machine;
  }

  /** Returns what it sees of the machine's disk. */
  public SimulatedFiles files() {
    return files;
  }

  /** Returns whether it was killed. */
  public boolean isDead() {
    return dead;
  }

  /** Starts a thread. */
  public void start(String thread, Runnable work) {
    new SimulatedThread(this, work, thread).start();
  }

  /** Kills it; the caller too, when it is of this process. */
  public void kill() {
    if (!dead) {
      world.event(name, "killed");
      world.scheduler().kill(this);
      SimulatedThread me = SimulatedThread.current();
      if (me != null) {
        me.checkAlive();
      }
    }
  }

  /** Lets none of its threads run for a while, as a full machine or a stopped process does. */
  public void pause(long nanos) {
    world.event(name, "paused for " + nanos / 1_000_000 + " ms");
    pausedUntil = world.scheduler().now() + nanos;
    if (nanos > SimulatedConnection.SILENCE) {
      world.silent(this);
    }
  }

  /** Sets the wall clock forward or back. */
  public void shiftClock(long nanos) {
    world.event(name, "clock shifted by " + nanos / 1_000_000_000 + " s");
    clockOffset += nanos;
  }

  Instant wallTime() {
    return BEGIN.plusNanos(world.scheduler().now() + clockOffset);
  }

  InstantSource wallClock() {
    return this::wallTime;
  }

  @Override
  public String toString() {
    return name;
  }
}
