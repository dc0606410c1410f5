package io.deepvm.checkpoint.simulation;

import java.util.ArrayList;
import java.util.List;

/** A machine: processes and a disk. When it loses power, the disk loses what was not synced. */
public final class Machine {

  private final World world;
  private final String name;
  private final SimulatedDisk disk;
  private final List<SimulatedProcess> processes = new ArrayList<>();

  Machine(World world, String name) {
    this.world = world;
    this.name = name;
    this.disk = new SimulatedDisk(world.random());
  }

  void add(SimulatedProcess process) {
    processes.add(process);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the disk. */
  public SimulatedDisk disk() {
    return disk;
  }

  /** Kills all processes and drops or tears what the disk had not synced. */
  public void losePower() {
    world.event(name, "loses power");
    world.lostPower();
    // the disk first: the caller may be one of the processes, and unwinds
    disk.crash();
    for (SimulatedProcess process : processes) {
      if (!process.dead) {
        world.scheduler().kill(process);
      }
    }
    SimulatedThread me = SimulatedThread.current();
    if (me != null) {
      me.checkAlive();
    }
  }
}
