package io.deepvm.checkpoint.simulation.scenario;

import io.deepvm.checkpoint.simulation.Machine;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import java.util.function.Consumer;

/** A process that is started again after it has died. */
final class Role {

  private final World world;
  private final String name;
  private final Machine machine;
  private final Consumer<SimulatedProcess> life;
  private SimulatedProcess process;
  private int starts;

  Role(World world, String name, Machine machine, Consumer<SimulatedProcess> life) {
    this.world = world;
    this.name = name;
    this.machine = machine;
    this.life = life;
  }

  boolean isWriter() {
    return name.startsWith("w");
  }

  Machine machine() {
    return machine;
  }

  SimulatedProcess process() {
    return process;
  }

  boolean isDead() {
    return process.isDead();
  }

  void start() {
    SimulatedProcess next = world.process(name + "." + ++starts, machine);
    process = next;
    world.event(next.name(), "started");
    next.start("main", () -> life.accept(next));
  }

  void kill() {
    process.kill();
  }

  /** Starts it if it is dead. */
  void heal() {
    if (isDead()) {
      start();
    }
  }
}
