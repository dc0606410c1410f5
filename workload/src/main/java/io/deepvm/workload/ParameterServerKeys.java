package io.deepvm.workload;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Gpus;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.fit.MeasurementFile;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.GpuProfile;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.TurnTaking;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what a job file states under parameterServer. */
final class ParameterServerKeys {

  private static final String PATH = "parameterServer.";

  /** What a parameter takes on the wire: from one byte to fp32 beside two moving averages. */
  private static final double LEAST_BYTES = 1;

  private static final double MOST_BYTES = 16;

  /** Where workers take turns, nothing is computed from it. */
  private static final Bandwidth UNUSED_PCIE = Bandwidth.parse("10GB/s");

  private final YamlFile yaml;
  private final JsonNode node;
  private final @Nullable ModelSize model;
  private final @Nullable Integer batch;
  private final Map<String, Double> speeds;

  /**
   * Takes what else the job states.
   *
   * @param batch of one GPU; null when not stated
   * @param speeds that were measured of the job, which win over those of this architecture
   */
  ParameterServerKeys(
      YamlFile yaml,
      JsonNode node,
      @Nullable ModelSize model,
      @Nullable Integer batch,
      KnownSpeeds speeds) {
    this.yaml = yaml;
    this.node = node;
    this.model = model;
    this.batch = batch;
    this.speeds = speeds.samplesPerSecond();
  }

  AsynchronousTraining read() {
    yaml.checkKeys(
        node,
        PATH,
        List.of(
            "parameters",
            "workerBandwidth",
            "pcie",
            "contention",
            "turns",
            "loss",
            "lossMeasurements",
            "targetLoss",
            "workers"));
    LossFit fit = lossFit();
    TurnTaking turns = turns();
    ParameterServerProfile unmeasured =
        new ParameterServerProfile(
            parameters(),
            yaml.read(node, PATH, "workerBandwidth", Bandwidth::parse),
            turns == null || node.has("pcie")
                ? yaml.read(node, PATH, "pcie", Bandwidth::parse)
                : UNUSED_PCIE,
            turns == null || node.has("contention") ? contention() : Contention.of(0, 0),
            fit == null ? loss() : fit.curve(),
            Map.of(),
            turns);
    return new AsynchronousTraining(
        unmeasured.withGpus(workers(unmeasured)),
        fit,
        node.has("targetLoss") ? yaml.number(node, PATH, "targetLoss") : null);
  }

  /** A size that cannot be that of the model was measured on another one. */
  private DataSize parameters() {
    DataSize size = yaml.read(node, PATH, "parameters", DataSize::parse);
    if (model != null) {
      double bytes = size.bytes() / model.parameters();
      if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
        throw yaml.bad(
            "has %sparameters: %s, which is not the size of a model of %s parameters"
                .formatted(PATH, size, Numbers.print(model.parameters())),
            "Maybe the profile is of another model.");
      }
    }
    return size;
  }

  private Contention contention() {
    String path = PATH + "contention.";
    JsonNode stated = required("contention");
    yaml.checkKeys(stated, path, List.of("alpha1", "beta1"));
    return Contention.of(yaml.number(stated, path, "alpha1"), yaml.number(stated, path, "beta1"));
  }

  private @Nullable TurnTaking turns() {
    JsonNode stated = node.get("turns");
    if (stated == null) {
      return null;
    }
    String path = PATH + "turns.";
    yaml.checkKeys(stated, path, List.of("wire", "turnSeconds", "ownSeconds"));
    return new TurnTaking(
        yaml.number(stated, path, "wire"),
        yaml.number(stated, path, "turnSeconds"),
        yaml.number(stated, path, "ownSeconds"));
  }

  private LossCurve loss() {
    String path = PATH + "loss.";
    JsonNode stated = required("loss");
    yaml.checkKeys(stated, path, List.of("gamma1", "gamma2", "gamma3", "gamma4", "floor"));
    return new LossCurve(
        yaml.number(stated, path, "gamma1"),
        yaml.number(stated, path, "gamma2"),
        yaml.number(stated, path, "gamma3"),
        yaml.number(stated, path, "floor"),
        stated.has("gamma4") ? yaml.number(stated, path, "gamma4") : null);
  }

  /** Fits the measurements that the file names, a path beside the job file. */
  private @Nullable LossFit lossFit() {
    if (!node.has("lossMeasurements")) {
      return null;
    }
    Path csv = yaml.file().resolveSibling(yaml.text(node, PATH, "lossMeasurements"));
    return LossFit.withoutCoefficient(
        MeasurementFile.read(csv, List.of("iterations", "batch", "convergence", "workers", "loss"))
            .stream()
            .map(row -> new LossFit.Point(row[0], row[1], row[2], (int) row[3], row[4]))
            .toList());
  }

  private Map<String, GpuProfile> workers(ParameterServerProfile profile) {
    Map<String, GpuProfile> workers = measured(profile);
    if (!node.has("workers") && !workers.isEmpty()) {
      return workers;
    }
    JsonNode stated = required("workers");
    yaml.requireMap(stated, PATH + "workers");
    for (Map.Entry<String, JsonNode> entry : stated.properties()) {
      String path = PATH + "workers." + entry.getKey() + ".";
      JsonNode worker = entry.getValue();
      yaml.checkKeys(worker, path, List.of("gpus", "batch", "samplesPerSecond"));
      int gpus = worker.has("gpus") ? yaml.count(worker, path, "gpus") : 1;
      double batch = yaml.number(worker, path, "batch");
      Double own = speeds.get(entry.getKey());
      double alone = own == null ? yaml.number(worker, path, "samplesPerSecond") : own;
      double compute = profile.measuredWorker(entry.getKey(), gpus, batch, alone).computeSeconds();
      workers.put(entry.getKey(), new GpuProfile(batch, compute, null, null));
    }
    return workers;
  }

  /** Returns the workers that the job's own speeds and batch describe. */
  private Map<String, GpuProfile> measured(ParameterServerProfile profile) {
    Map<String, GpuProfile> workers = new HashMap<>();
    if (batch == null) {
      return workers;
    }
    Map<String, Gpus> known = OwnSpeeds.gpus(speeds.keySet(), List.of());
    speeds.forEach(
        (name, speed) -> {
          Gpus gpus = known.get(name);
          if (gpus != null) {
            int count = (int) Math.max(1, gpus.count());
            double compute = profile.measuredWorker(name, count, batch, speed).computeSeconds();
            workers.put(name, new GpuProfile(batch, compute, null, null));
          }
        });
    return workers;
  }

  private JsonNode required(String key) {
    return yaml.required(node, PATH, key);
  }
}
