package io.deepvm.planner.averaging;

import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Precision;
import io.deepvm.planner.GivenCluster;
import io.deepvm.units.BadInput;
import io.deepvm.workload.Job;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.averaging.AccumulatedRate;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.TrainedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How fast machines train the model: measured for some, scaled by FLOPS for the rest.
 *
 * @param measured samples per second by the clock on the wall, by instance type (the whole machine)
 *     or by GPU name (one GPU)
 * @param microBatch samples of one GPU between two additions of gradients
 */
public record SpeedProfile(
    TrainedModel model, Map<String, Double> measured, int microBatch, Precision precision) {

  public SpeedProfile {
    measured = Map.copyOf(new TreeMap<>(measured));
    if (measured.isEmpty()) {
      throw new BadInput(
          "No speed of %s was measured on any GPU.".formatted(model.name()),
          "Maybe add one to the job's profile, like T4: 139.2.");
    }
    measured.forEach(
        (name, speed) -> {
          if (!(speed > 0 && Double.isFinite(speed))) {
            throw new BadInput(
                "The measured speed %s samples/s of %s is not a positive number."
                    .formatted(speed, name),
                "Maybe drop it from the job's profile.");
          }
        });
    if (microBatch < 1) {
      throw new BadInput(
          "The micro-batch of %d samples is less than 1.".formatted(microBatch), "Maybe 32.");
    }
  }

  /** Returns what the job states, or says which keys it lacks. */
  static SpeedProfile of(Job job) {
    AveragingProfile profile = averaging(job);
    ModelSize size = Objects.requireNonNull(job.profiles().model());
    return new SpeedProfile(
        new TrainedModel(job.name(), size.parameters(), Objects.requireNonNull(size.tensors())),
        profile.samplesPerSecond(),
        profile.microBatch(),
        job.precision());
  }

  /** Returns the job's averaging profile, all of whose other needs are met too. */
  static AveragingProfile averaging(Job job) {
    AveragingProfile profile = job.profiles().averaging();
    ModelSize size = job.profiles().model();
    List<String> missing = new ArrayList<>();
    if (size == null) {
      missing.add("model.parameters");
    }
    if (size == null || size.tensors() == null) {
      missing.add("model.tensors");
    }
    if (profile == null) {
      missing.add("averaging.samplesPerSecond");
      if (job.profiles().batch() == null) {
        missing.add("averaging.microBatch");
      }
    }
    if (profile == null || !missing.isEmpty()) {
      throw new BadInput(
          "Averaging cannot be predicted: the job '%s' lacks %s."
              .formatted(job.name(), String.join(", ", missing)),
          "Maybe add them to the job file, as in examples/roberta-xlm.yaml.");
    }
    return profile;
  }

  /**
   * A machine's speed while it accumulates gradients.
   *
   * @param note how it was found when not measured as it is; else empty
   */
  record Speed(double samplesPerSecond, String note) {}

  /** Returns the speed of a machine, or null when nothing tells it. */
  @Nullable Speed of(Machine machine) {
    Gpus gpus = machine.gpus();
    if (gpus == null || gpus.count() < 1) {
      return null;
    }
    Double whole = measured.get(machine.name());
    if (whole != null) {
      return accumulating(whole, gpus, "");
    }
    Double one = measured.get(gpus.model().name());
    if (one != null) {
      return accumulating(one * gpus.count(), gpus, linear(gpus));
    }
    return scaled(gpus);
  }

  /** Returns given nodes as peers; what their speed was derived from goes to the notes. */
  PeerGroup peers(GivenCluster.Group group, Consumer<String> notes) {
    Offer offer = group.nodes().offer();
    Machine machine = offer.machine();
    Speed speed = of(machine, group.samplesPerSecond());
    if (speed == null) {
      throw new BadInput(
          "Nothing tells how fast %s trains %s.".formatted(machine.name(), model.name()),
          "Maybe state samplesPerSecond for it in the cluster file, or in the job's averaging.");
    }
    if (!speed.note().isEmpty()) {
      notes.accept(speed.note());
    }
    Peer peer =
        new Peer(
            machine.name(),
            offer.place(),
            speed.samplesPerSecond(),
            HostClass.of(machine.vcpus()),
            offer.pricePerHour(),
            machine.network());
    return new PeerGroup(peer, group.nodes().count());
  }

  /** The same for a machine of which someone states what it trains alone. */
  @Nullable Speed of(Machine machine, @Nullable Double alone) {
    if (alone == null) {
      return of(machine);
    }
    Gpus gpus = machine.gpus();
    return gpus == null
        ? new Speed(alone, "%s taken to lose nothing by accumulating".formatted(machine.name()))
        : accumulating(alone, gpus, "");
  }

  private static String linear(Gpus gpus) {
    return gpus.count() == 1 ? "" : "%.0f GPUs taken as fast as that many".formatted(gpus.count());
  }

  /** Returns the speed by the ratio of FLOPS to the measured GPU that is nearest in FLOPS. */
  private @Nullable Speed scaled(Gpus gpus) {
    Double flops = gpus.model().flops(precision);
    if (flops == null) {
      return null;
    }
    String nearest = null;
    double nearestRatio = 0;
    for (String name : measured.keySet().stream().sorted().toList()) {
      Gpu known = Hardware.gpu(name);
      Double others = known == null ? null : known.flops(precision);
      if (others == null) {
        continue;
      }
      double ratio = flops / others;
      if (nearest == null || Math.abs(Math.log(ratio)) < Math.abs(Math.log(nearestRatio))) {
        nearest = name;
        nearestRatio = ratio;
      }
    }
    Double base = nearest == null ? null : measured.get(nearest);
    if (base == null) {
      return null;
    }
    String note =
        "speed of %s scaled from %s by %s FLOPS".formatted(gpus.model().name(), nearest, precision);
    return accumulating(base * nearestRatio * gpus.count(), gpus, note);
  }

  private Speed accumulating(double alone, Gpus gpus, String note) {
    Double memory = gpus.model().memoryBytesPerSecond();
    if (memory == null) {
      return new Speed(alone, note);
    }
    int batch = (int) Math.round(microBatch * gpus.count());
    return new Speed(AccumulatedRate.of(alone, batch, memory, model), note);
  }
}
