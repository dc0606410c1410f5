package io.deepvm.cli.run;

import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recorder;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Simulation;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.policy.Policies;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A plan on this machine: its nodes are processes, its work is a small training job, and the market
 * passes faster than it did.
 *
 * @param stage the plan on the market
 * @param future the market's course that is played
 * @param policy what decides about nodes
 * @param speed market seconds that pass in one second
 * @param samplesPerUnit how many samples stand for a unit of the plan's work
 * @param servers how many nodes keep parameters for the workers
 * @param freshSeconds real seconds that training here loses when all members are new
 * @param scenario the plan's facts with this machine's speeds
 */
record LocalStage(
    Stage stage,
    Future future,
    Policies.Entry policy,
    double speed,
    double samplesPerUnit,
    int servers,
    double freshSeconds,
    Scenario scenario) {

  /** The most real seconds for which a node of a command boots. */
  private static final double COMMAND_BOOT_SECONDS = 3;

  /**
   * What is known of training on this machine, in real seconds.
   *
   * @param samples in all
   * @param inStep whether members wait for each other, and need no parameter server
   * @param samplesPerSecond by the number of members in each pool
   * @param freshSeconds that are lost after the start when all members are new
   * @param saveEverySeconds between checkpoints
   */
  record Machine(
      double samples,
      boolean inStep,
      ToDoubleFunction<int[]> samplesPerSecond,
      double freshSeconds,
      double stallSeconds,
      double shipSeconds,
      double saveEverySeconds) {}

  /** The speed of whatever members there are, in units of the plan's work. */
  private record Members(ToDoubleFunction<int[]> samplesPerSecond, double samplesPerUnitSecond)
      implements Throughput {

    @Override
    public double unitsPerSecond(int[] members) {
      return Arrays.stream(members).sum() == 0
          ? 0
          : samplesPerSecond.applyAsDouble(members) / samplesPerUnitSecond;
    }
  }

  /** Returns for how many real seconds a node of a market boots. */
  double bootSeconds(Market market) {
    Startup startup = scenario.startup();
    return (market == Market.SPOT ? startup.spotBootSeconds() : startup.onDemandBootSeconds())
        / speed;
  }

  /**
   * Sets a plan on this machine.
   *
   * @param speed null for the one that makes the training here last as long as the plan's, in the
   *     market's time
   */
  static LocalStage of(
      Stage stage, Future future, Policies.Entry policy, Machine machine, @Nullable Double speed) {
    Scenario planned = policy.scenario().apply(stage);
    int[] all = new int[stage.spot().length];
    Arrays.setAll(all, pool -> stage.spot()[pool] + stage.onDemand()[pool]);
    double undisturbed = machine.samples() / machine.samplesPerSecond().applyAsDouble(all);
    double played = speed == null ? planned.work() / undisturbed : speed;
    double samplesPerUnit = machine.samples() / planned.work();
    Throughput throughput = new Members(machine.samplesPerSecond(), samplesPerUnit * played);
    Checkpointing c = planned.checkpointing();
    Checkpointing here =
        new Checkpointing(
            c.size(),
            true,
            machine.stallSeconds() * played,
            machine.shipSeconds() * played,
            c.restoreSeconds(),
            true,
            false,
            SaveRule.every(machine.saveEverySeconds() * played));
    Scenario scenario =
        new Scenario(
            planned.throughput() instanceof Throughput.Gang gang
                ? new Throughput.Gang(gang.size(), throughput.unitsPerSecond(all))
                : throughput,
            planned.work(),
            planned.workers(),
            planned.deadlineSeconds(),
            planned.anchorPool(),
            planned.anchors(),
            planned.anchorsPerHour(),
            planned.recovery(),
            here,
            planned.startup(),
            planned.billing(),
            planned.egressUsdPerGb());
    int servers = machine.inStep() ? 0 : Math.max(1, planned.anchors());
    return new LocalStage(
        stage, future, policy, played, samplesPerUnit, servers, machine.freshSeconds(), scenario);
  }

  /**
   * Sets a plan on this machine whose work is a command, of which the plan knows how fast it is.
   * Nodes boot as in the plan, but nobody waits long for them.
   */
  static LocalStage ofCommand(Stage stage, Future future, Policies.Entry policy, double speed) {
    Scenario planned = policy.scenario().apply(stage);
    double longest = COMMAND_BOOT_SECONDS * speed;
    Startup startup =
        new Startup(
            Math.min(planned.startup().spotBootSeconds(), longest),
            Math.min(planned.startup().onDemandBootSeconds(), longest),
            planned.startup().reformSeconds());
    return new LocalStage(stage, future, policy, speed, 1, 0, 0, planned.starting(startup));
  }

  /** Returns a fresh policy for one run. */
  Policy newPolicy() {
    return policy.maker().apply(stage, future);
  }

  /** Returns what the simulator says of the run on this machine. */
  Outcome foresee(long seed, Recorder recorder) {
    return Simulation.run(
        scenario, future.market(), future.firstTick(), newPolicy(), seed, recorder);
  }
}
