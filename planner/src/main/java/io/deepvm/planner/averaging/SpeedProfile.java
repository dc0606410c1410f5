package io.deepvm.planner.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Precision;
import io.deepvm.planner.GivenCluster;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobScaling;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.OwnSpeeds;
import io.deepvm.workload.averaging.AccumulatedRate;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.TrainedModel;
import io.deepvm.workload.speed.MeasuredSpeedModel;
import io.deepvm.workload.speed.ModelShape;
import io.deepvm.workload.speed.SpeedEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How fast machines train the model: measured for some, scaled by measured ratios for the rest. */
public final class SpeedProfile {

  private final TrainedModel model;
  private final Map<String, Double> measured;
  private final int microBatch;
  private final Precision precision;
  private final Map<String, Optional<SpeedEstimate>> scaled = new ConcurrentHashMap<>();
  private @Nullable Job job;

  /**
   * Takes what was measured.
   *
   * @param measured samples per second by the clock on the wall, by instance type (the whole
   *     machine) or by GPU name (one GPU)
   * @param microBatch samples of one GPU between two additions of gradients
   */
  public SpeedProfile(
      TrainedModel model, Map<String, Double> measured, int microBatch, Precision precision) {
    this.model = model;
    this.measured = Map.copyOf(new TreeMap<>(measured));
    this.microBatch = microBatch;
    this.precision = precision;
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

  /** Returns the model that is trained. */
  public TrainedModel model() {
    return model;
  }

  /** Returns what the job states, or says which keys it lacks. */
  static SpeedProfile of(Job job) {
    AveragingProfile profile = averaging(job);
    ModelSize size = Objects.requireNonNull(job.profiles().model());
    SpeedProfile speeds =
        new SpeedProfile(
            new TrainedModel(job.name(), size.parameters(), Objects.requireNonNull(size.tensors())),
            job.measuredSpeeds(),
            profile.microBatch(),
            job.precision());
    speeds.job = job;
    return speeds;
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

  /** Returns the speed of a machine, or null if it cannot be derived. */
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
      double times = times(machine, gpus, one);
      return accumulating(one * times, gpus, several(gpus, times));
    }
    return scaled(machine, gpus);
  }

  /** Returns given nodes as peers; what their speed was derived from goes to the notes. */
  PeerGroup peers(GivenCluster.Group group, Consumer<String> notes) {
    Offer offer = group.nodes().offer();
    Machine machine = offer.machine();
    Speed speed = of(machine, group.samplesPerSecond());
    if (speed == null) {
      throw new BadInput(
          "It is unknown how fast %s trains %s.".formatted(machine.name(), model.name()),
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

  /** Returns the speed of a machine whose speed alone is stated. */
  @Nullable Speed of(Machine machine, @Nullable Double alone) {
    if (alone == null) {
      return of(machine);
    }
    Gpus gpus = machine.gpus();
    return gpus == null
        ? new Speed(alone, "%s taken to lose nothing by accumulating".formatted(machine.name()))
        : accumulating(alone, gpus, "");
  }

  /** Returns how many times as fast as one of its GPUs a machine is, as in other architectures. */
  private double times(Machine machine, Gpus gpus, double one) {
    return job == null || gpus.count() == 1
        ? gpus.count()
        : JobScaling.timesOneGpu(job, machine, one);
  }

  private static String several(Gpus gpus, double times) {
    return gpus.count() == 1
        ? ""
        : "%.0f GPUs of a machine taken as fast as %s"
            .formatted(gpus.count(), Numbers.print(times));
  }

  /** Returns the speed by measured ratios between GPUs like these, or null. */
  private @Nullable Speed scaled(Machine machine, Gpus gpus) {
    SpeedEstimate one =
        scaled
            .computeIfAbsent(gpus.model().name(), name -> Optional.ofNullable(ask(gpus.model())))
            .orElse(null);
    if (one == null || one.rows().isEmpty()) {
      return null;
    }
    String note =
        "speed of %s scaled from %s by measured ratios, %s to %s samples/s"
            .formatted(
                gpus.model().name(),
                one.rows().get(0).gpu().name(),
                Numbers.print(one.low()),
                Numbers.print(one.high()));
    double times = times(machine, gpus, one.samplesPerSecond());
    return accumulating(one.samplesPerSecond() * times, gpus, note);
  }

  private @Nullable SpeedEstimate ask(Gpu asked) {
    OwnSpeeds.Conditions at = new OwnSpeeds.Conditions(model.name(), precision, microBatch, null);
    return MeasuredSpeedModel.builtIn()
        .without(model.name())
        .with(OwnSpeeds.of(at, measured, List.of()))
        .of(ModelShape.named(model.name()), asked, precision, microBatch);
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
