package io.deepvm.checkpoint.simulation.scenario;

import static io.deepvm.checkpoint.simulation.scenario.Scenario.MILLI;
import static io.deepvm.checkpoint.simulation.scenario.Scenario.SECOND;

import io.deepvm.checkpoint.simulation.World;
import java.util.List;
import java.util.SplittableRandom;

/** Kills, pauses and confuses processes now and then, and starts the dead ones again. */
final class Nemesis {

  private final World world;
  private final Plan plan;
  private final SplittableRandom random;
  private final List<Role> roles;

  /** How often each action is taken, of a hundred turns. */
  private final int[] weights = new int[5];

  Nemesis(World world, Plan plan, SplittableRandom random, List<Role> roles) {
    this.world = world;
    this.plan = plan;
    this.random = random;
    this.roles = roles;
    for (int i = 0; i < weights.length; i++) {
      weights[i] = random.nextInt(3) == 0 ? random.nextInt(12) : 0;
    }
  }

  void torment() {
    long end = world.scheduler().now() + plan.length();
    while (world.scheduler().now() < end) {
      world.sleep(100 * MILLI + random.nextLong(SECOND));
      for (Role role : roles) {
        if (role.isDead() && random.nextInt(3) == 0) {
          role.start();
        }
      }
      act(roles.get(random.nextInt(roles.size())));
      if (plan.canBeSplit() && random.nextInt(8) == 0) {
        split();
      }
    }
  }

  /** Cuts each writer off from some anchors, so that two sessions may reach different ones. */
  private void split() {
    long length = random.nextLong(20 * SECOND);
    world.count(World.Count.FAULTS);
    for (Role role : roles) {
      for (int i = 0; role.isWriter() && i < plan.anchorCount(); i++) {
        if (random.nextBoolean()) {
          world.cut(role.process(), Plan.address(i).getPort(), length);
        }
      }
    }
  }

  private void act(Role role) {
    int dice = random.nextInt(100);
    int action = 0;
    while (action < weights.length && dice >= weights[action]) {
      dice -= weights[action++];
    }
    if (role.isDead() || action == weights.length) {
      return;
    }
    world.count(World.Count.FAULTS);
    switch (action) {
      case 0 -> role.kill();
      case 1 -> role.machine().losePower();
      case 2 -> role.process().pause(random.nextLong(60 * SECOND));
      case 3 -> role.process().shiftClock(random.nextLong(7200 * SECOND) - 3600 * SECOND);
      default -> {
        String folder = role.machine().disk().rot();
        if (folder != null) {
          world.event(role.machine().name(), "a bit turns over in " + folder);
        }
      }
    }
  }
}
