package io.deepvm.cli.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.Numbers;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.trainer.Rehearsal;
import io.deepvm.trainer.TrainerProcess;
import io.deepvm.trainer.job.CheckpointSpec;
import io.deepvm.trainer.job.TrainingJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What was found out about training on this machine before a run, kept in its folder so that a
 * resumed run lives in the same world.
 *
 * @param rehearsal null for a command, of which nothing is known
 * @param samples in all
 * @param saveEvery steps between two checkpoints; 0 for as the cost and the losses suggest
 * @param speed what the user asked for; null for the plan's own length
 */
record LocalFacts(
    @Nullable Rehearsal rehearsal, double samples, int saveEvery, @Nullable Double speed) {

  /** How long each part of a rehearsal takes, but for the one in which all processes are new. */
  static final Duration REHEARSAL = Duration.ofSeconds(5);

  /** How long what stands for a plan's job trains here when nobody disturbs it. */
  private static final Duration STAND_IN = Duration.ofSeconds(60);

  /**
   * The share of this machine's cores that computing in all workers together may keep busy. The
   * rest is for what they do besides, of which young processes need most: they are still being
   * compiled.
   */
  private static final double BUSY = 0.35;

  private static final double SHIP_SECONDS = 0.2;
  private static final double STALL_SECONDS = 0.002;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static LocalFacts of(TrainingJob job, Rehearsal rehearsal, @Nullable Double speed) {
    CheckpointSpec checkpoint = job.checkpoint();
    return new LocalFacts(
        rehearsal,
        (double) job.steps() * job.targetBatch(),
        checkpoint == null ? 0 : checkpoint.every(),
        speed);
  }

  static LocalFacts ofCommand(double speed) {
    return new LocalFacts(null, 0, 0, speed);
  }

  static LocalFacts read(Path folder) throws IOException {
    Path file = folder.resolve("facts.json");
    try {
      return JSON.readValue(Files.readString(file), LocalFacts.class);
    } catch (NoSuchFileException e) {
      throw new BadInput(
          "There is no run in %s.".formatted(folder), "Maybe leave --resume out to start one.");
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file, e.getOriginalMessage()),
          "Maybe start anew in another folder.");
    }
  }

  void write(Path folder) throws IOException {
    AtomicFile.writePrivate(folder.resolve("facts.json"), JSON.writeValueAsString(this));
  }

  boolean isCommand() {
    return rehearsal == null;
  }

  /** How fast each of this many processes may be so that the cores suffice for all. */
  private static double share(int workers) {
    return Math.min(1, BUSY * Runtime.getRuntime().availableProcessors() / workers);
  }

  /** Trains for some seconds as the plan's workers would, and returns what that shows. */
  static LocalFacts rehearse(Path file, PlannedRun run, @Nullable Double speed)
      throws IOException, InterruptedException {
    return of(TrainingJob.read(file), rehearse(file, run), speed);
  }

  /** Writes a training that stands for the plan's job, as long as suits, and rehearses it. */
  static LocalFacts ofStandIn(Path file, PlannedRun run, @Nullable Double speed)
      throws IOException, InterruptedException {
    DemoJob.writeTraining(file, DemoJob.ENDLESS);
    Rehearsal rehearsal = rehearse(file, run);
    double steps = STAND_IN.toSeconds() / rehearsal.stepSeconds(ofEach(run));
    DemoJob.writeTraining(file, (int) Math.ceil(steps));
    return of(TrainingJob.read(file), rehearsal, speed);
  }

  private static Rehearsal rehearse(Path file, PlannedRun run)
      throws IOException, InterruptedException {
    return Rehearsal.of(
        TrainingJob.read(file), TrainerProcess.briefCommand(file), ofEach(run), REHEARSAL);
  }

  /** Returns the speed of each of the plan's workers. */
  private static double[] ofEach(PlannedRun run) {
    return run.workers().stream()
        .flatMapToDouble(
            group ->
                DoubleStream.generate(() -> group.speed() * share(run.size())).limit(group.count()))
        .toArray();
  }

  /** Returns the speed of each instance type of the plan. */
  Map<String, Double> speeds(PlannedRun run) {
    Map<String, Double> speeds = new HashMap<>();
    if (rehearsal != null) {
      for (PlannedRun.Group group : run.workers()) {
        speeds.put(group.pool().instanceType(), group.speed() * share(run.size()));
      }
    }
    return speeds;
  }

  /** Returns what training processes must know to keep their speed whatever else runs here. */
  Map<String, String> environment() {
    return rehearsal == null
        ? Map.of()
        : Map.of("DEEPVM_MICRO_BATCH_SECONDS", Double.toString(rehearsal.computeSeconds()));
  }

  /** Sets the plan on this machine. */
  LocalStage stage(Stage stage, Future future, Policies.Entry policy) {
    Rehearsal known = rehearsal;
    if (known == null) {
      return LocalStage.ofCommand(stage, future, policy, speed == null ? 1 : speed);
    }
    Map<String, Double> speeds = speeds(stage.run());
    double[] ofPools =
        stage.traces().stream()
            .mapToDouble(trace -> speeds.get(trace.pool().instanceType()))
            .toArray();
    int[] all = new int[ofPools.length];
    Arrays.setAll(all, pool -> stage.spot()[pool] + stage.onDemand()[pool]);
    double step = known.stepSeconds(each(all, ofPools));
    LocalStage.Machine machine =
        new LocalStage.Machine(
            samples,
            known.inStep(),
            members -> known.samplesPerSecond(each(members, ofPools)),
            known.freshSeconds(),
            STALL_SECONDS,
            SHIP_SECONDS,
            Math.max(1, saveEvery) * step);
    return LocalStage.of(stage, future, policy, machine, speed);
  }

  /** Returns the speed of each of this many members of each pool. */
  private static double[] each(int[] members, double[] ofPools) {
    return IntStream.range(0, members.length)
        .boxed()
        .flatMapToDouble(pool -> DoubleStream.generate(() -> ofPools[pool]).limit(members[pool]))
        .toArray();
  }

  @Override
  public String toString() {
    Rehearsal known = rehearsal;
    return known == null
        ? "A command's speed is known only when it runs."
        : "On this machine all processes start in %s s and compute a micro-batch in %s ms at full speed. The rest of a step takes %s. They re-form in %s s, and lose %s s when all are new."
            .formatted(
                Numbers.print(known.bootSeconds(), 2),
                Numbers.print(1000 * known.computeSeconds(), 3),
                known.overheads().stream()
                    .map(
                        one ->
                            "%s ms with %d"
                                .formatted(Numbers.print(1000 * one.seconds(), 2), one.members()))
                    .collect(Collectors.joining(", ")),
                Numbers.print(known.reformSeconds(), 2),
                Numbers.print(known.freshSeconds(), 2));
  }
}
