package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.workload.OwnSpeeds;
import io.deepvm.workload.profile.ProgressCount;
import io.deepvm.workload.profile.ProgressLog;
import io.deepvm.workload.profile.ScriptProfile;
import io.deepvm.workload.profile.SpeedReading;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Measures any training command by what it prints. */
final class ScriptProfiler {

  private final PeakMemory memory;
  private final List<ProfileCommand.Row> rows = new ArrayList<>();

  ScriptProfiler(PeakMemory memory) {
    this.memory = memory;
  }

  /** Returns the profile of a command that ran for this time. */
  ScriptProfile measure(List<String> command, Duration time, @Nullable Integer batch)
      throws IOException, InterruptedException {
    ProgressLog log = new ScriptRun(memory).run(command, time);
    SpeedReading speed = log.speed();
    if (speed == null) {
      throw new BadInput(
          "None of the %d lines that the command printed in %d s states its progress twice."
              .formatted(log.lines(), time.toSeconds()),
          "Maybe print a progress line after each step, see docs/how-to/profile-a-script.md;"
              + " or raise --seconds.");
    }
    Double perStep = batch == null ? log.samplesPerStep() : Double.valueOf(batch);
    Double samples = speed.samplesPerSecond(perStep);
    if (samples == null) {
      throw new BadInput(
          "The output (%s) counts %.3g steps/s, not samples."
              .formatted(speed.format(), speed.perSecond()),
          "Maybe state the samples of one step with --batch.");
    }
    rows.add(new ProfileCommand.Row("speed, from " + speed.format(), samples, "samples/s"));
    if (speed.unit() == ProgressCount.Unit.STEPS) {
      rows.add(new ProfileCommand.Row("one step", 1e3 / speed.perSecond(), "ms"));
    }
    rows.add(new ProfileCommand.Row("measured after the warm-up", speed.seconds(), "s"));
    DataSize cuda = memory.onOneGpu();
    DataSize resident = memory.inMainMemory();
    if (cuda != null) {
      rows.add(
          new ProfileCommand.Row(
              memory.gpusInUse() == 1
                  ? "peak memory on the GPU"
                  : "peak memory on the fullest of %d GPUs".formatted(memory.gpusInUse()),
              cuda.bytes() / 1e6,
              "MB"));
    }
    if (resident != null) {
      rows.add(
          new ProfileCommand.Row(
              cuda == null ? "peak main memory (no CUDA here)" : "peak main memory",
              resident.bytes() / 1e6,
              "MB"));
    }
    return new ScriptProfile(String.join(" ", command), samples, perStep, cuda, resident);
  }

  /**
   * Returns the GPUs of a machine that a job file names.
   *
   * @param machine a GPU, an instance type, or any other name
   */
  Gpus gpus(String machine) {
    Gpus named = OwnSpeeds.gpus(Set.of(machine), List.of()).get(machine);
    int seen = Math.max(1, memory.gpusInUse());
    if (named == null || (Hardware.gpu(machine) != null && seen > 1)) {
      if (seen == 1 && named == null) {
        return new Gpus(Gpu.unknown(machine, null), 1);
      }
      throw new BadInput(
          "The command trained on %d GPUs, and '%s' is %s."
              .formatted(
                  seen, machine, named == null ? "no known instance type" : "the name of one GPU"),
          "Maybe name the instance type with --machine, such as g5.12xlarge; or measure on one GPU: CUDA_VISIBLE_DEVICES=0.");
    }
    return named;
  }

  /** Returns what the last measurement found. */
  List<ProfileCommand.Row> rows() {
    return rows;
  }

  /** Returns this machine's one GPU by its name in catalogs, or says that it must be stated. */
  String machine() {
    List<String> gpus = memory.gpus();
    if (gpus.size() == 1) {
      for (String word : gpus.get(0).split("[ -]", -1)) {
        if (Hardware.gpu(word) != null) {
          return word;
        }
      }
    }
    throw new BadInput(
        "A job file names the machine that was measured, and %s."
            .formatted(
                gpus.isEmpty()
                    ? "no GPU was found here"
                    : "this one has %d x %s".formatted(gpus.size(), gpus.get(0))),
        "Maybe state the GPU or instance type with --machine, such as T4 or g4dn.xlarge.");
  }
}
