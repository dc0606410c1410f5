package io.deepvm.checkpoint.simulation.scenario;

import io.deepvm.checkpoint.simulation.Machine;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Two to four writers of one job, their stores and anchors, and what happens to them. First
 * everything goes wrong that the seed wants to go wrong; then faults stop, and the promises must
 * hold: every save that was reported durable restores bit by bit unless newer ones took its place,
 * and a new save succeeds.
 */
public final class Scenario implements Consumer<World> {

  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;

  @Override
  public void accept(World world) {
    SplittableRandom random = world.random();
    world.scheduler().preempt(random.nextBoolean() ? 0 : random.nextDouble() * 0.05);
    Plan plan = Plan.draw(world, random);
    world.event("plan", plan.toString());
    History history = new History(world, plan);
    Machine site = world.machine("site");
    List<Role> roles = new ArrayList<>();
    for (int i = 0; i < plan.anchorCount(); i++) {
      Machine machine = world.machine("rack" + i);
      int number = i;
      roles.add(
          new Role(world, "a" + i, machine, process -> new AnchorRole(plan, number).live(process)));
    }
    for (int i = 0; i < plan.writers(); i++) {
      SplittableRandom own = world.random();
      String name = "w" + i;
      roles.add(
          new Role(
              world, name, site, process -> new Writer(world, plan, history, own).live(process)));
    }
    roles.forEach(Role::start);
    new Nemesis(world, plan, world.random(), roles).torment();
    recover(world, plan, history, site, roles);
  }

  /** Stops all faults, and checks that nothing is lost and that saving goes on. */
  private static void recover(
      World world, Plan plan, History history, Machine site, List<Role> roles) {
    world.faults().setActive(false);
    world.event("world", "faults stop");
    for (Role role : roles) {
      role.heal();
    }
    // what a writer has under way either ends or is given up by then
    world.sleep(60 * SECOND);
    for (Role role : roles) {
      if (role.isWriter()) {
        role.kill();
      }
    }
    SimulatedProcess last = world.process("last", site);
    boolean[] done = {false};
    last.start(
        "main",
        () -> {
          new LastWriter(world, plan, history).live(last);
          done[0] = true;
        });
    for (int i = 0; i < 3_600 && !done[0]; i++) {
      world.sleep(SECOND);
    }
    if (!done[0]) {
      world.problem("An hour after the faults stopped, no save has succeeded.");
    }
  }
}
