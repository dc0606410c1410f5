package io.deepvm.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.trainer.Rehearsal;
import io.deepvm.trainer.job.CheckpointSpec;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.units.BadInput;
import io.deepvm.units.Numbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
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

  /** How long each part of a rehearsal takes. */
  static final Duration REHEARSAL = Duration.ofSeconds(3);

  /** The share of this machine's cores that all workers together may keep busy. */
  private static final double BUSY = 0.6;

  /** For which nobody trains when members change, and what else is small on one machine. */
  private static final double REFORM_SECONDS = 0.4;

  private static final double SHIP_SECONDS = 0.2;
  private static final double RESTORE_SECONDS = 0.3;
  private static final double STALL_SECONDS = 0.002;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static LocalFacts of(TrainingJob job, Rehearsal rehearsal, @Nullable Double speed) {
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
    Files.createDirectories(folder);
    AtomicFile.write(
        folder.resolve("facts.json"),
        file -> Files.writeString(file, JSON.writeValueAsString(this)));
  }

  boolean isCommand() {
    return rehearsal == null;
  }

  /** How fast each of so many processes may be so that the cores suffice for all. */
  private static double share(int workers) {
    return Math.min(1, BUSY * Runtime.getRuntime().availableProcessors() / workers);
  }

  /** Returns the speed of each instance type of the plan. */
  Map<String, Double> speeds(PlannedRun run) {
    Map<String, Double> speeds = new HashMap<>();
    if (rehearsal != null) {
      run.workers().forEach(g -> speeds.put(g.pool().instanceType(), share(run.size())));
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
    int workers = stage.run().size();
    double share = share(workers);
    double step = known.stepSeconds(equal(workers, share));
    LocalStage.Machine machine =
        new LocalStage.Machine(
            samples,
            n -> known.samplesPerSecond(equal(n, share)),
            known.bootSeconds(),
            REFORM_SECONDS,
            STALL_SECONDS,
            SHIP_SECONDS,
            RESTORE_SECONDS,
            Math.max(1, saveEvery) * step);
    return LocalStage.of(stage, future, policy, machine, speed);
  }

  private static double[] equal(int count, double speed) {
    double[] speeds = new double[count];
    Arrays.fill(speeds, speed);
    return speeds;
  }

  @Override
  public String toString() {
    Rehearsal known = rehearsal;
    return known == null
        ? "A command's speed is known only when it runs."
        : "On this machine a process starts in %s s, computes a micro-batch in %s ms and takes %s ms for the rest of a step; with two, the exchange makes that %s ms."
            .formatted(
                Numbers.print(known.bootSeconds(), 2),
                Numbers.print(1000 * known.computeSeconds(), 3),
                Numbers.print(1000 * known.ownSeconds(), 2),
                Numbers.print(1000 * known.pairSeconds(), 2));
  }
}
