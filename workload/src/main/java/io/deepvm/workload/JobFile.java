package io.deepvm.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.averaging.BuiltInTrainer;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Compression;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.Topology;
import io.deepvm.workload.parallel.Framework;
import io.deepvm.workload.parallel.Optimizer;
import io.deepvm.workload.parallel.TrainingSetup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job from YAML (or JSON, which YAML contains); docs/reference/job-file.md describes the
 * keys.
 */
public final class JobFile {

  private static final double USUAL_UTILISATION = 0.35;

  private final YamlFile yaml;

  private JobFile(YamlFile yaml) {
    this.yaml = yaml;
  }

  /** Returns the job that the file describes. */
  public static Job read(Path file) {
    YamlFile yaml = new YamlFile("job file", file);
    return new JobFile(yaml).job(yaml.parse());
  }

  /** Returns the job that a text describes, which messages call by this name. */
  public static Job parse(String name, String text) {
    YamlFile yaml = new YamlFile("preset", Path.of(name));
    return new JobFile(yaml).job(yaml.parse(text));
  }

  private Job job(JsonNode root) {
    yaml.checkKeys(
        root,
        "",
        List.of(
            "name",
            "precision",
            "gpuMemory",
            "checkpoint",
            "work",
            "scaling",
            "model",
            "batch",
            "training",
            "samplesPerSecond",
            "averaging",
            "parameterServer",
            "files"));
    return new Job(
        root.has("name") ? yaml.text(root, "", "name") : String.valueOf(yaml.file().getFileName()),
        root.has("precision")
            ? yaml.choice(root, "", "precision", Precision.values())
            : Precision.FP16,
        size(root, "gpuMemory"),
        size(root, "checkpoint"),
        yaml.under("work", () -> work(root.get("work"))),
        yaml.under("scaling", () -> scaling(root.get("scaling"))),
        profiles(root),
        yaml.under("files", () -> files(root.get("files"))));
  }

  private NodeFiles files(@Nullable JsonNode node) {
    if (node == null) {
      return NodeFiles.NONE;
    }
    String path = "files.";
    yaml.checkKeys(node, path, List.of("dataSet", "from", "image"));
    return new NodeFiles(
        node.has("dataSet") ? yaml.read(node, path, "dataSet", DataSize::parse) : null,
        node.has("from") ? yaml.read(node, path, "from", Place::parse) : null,
        node.has("image") ? yaml.read(node, path, "image", DataSize::parse) : null);
  }

  private @Nullable DataSize size(JsonNode root, String key) {
    return root.has(key) ? yaml.read(root, "", key, DataSize::parse) : null;
  }

  private @Nullable Work work(@Nullable JsonNode node) {
    if (node == null) {
      return null;
    }
    yaml.checkKeys(
        node,
        "work.",
        List.of("flop", "samples", "epochs", "samplesPerEpoch", "flopPerSample", "utilisation"));
    double utilisation =
        node.has("utilisation") ? yaml.number(node, "work.", "utilisation") : USUAL_UTILISATION;
    if (node.has("flop")) {
      if (node.has("samples") || inEpochs(node) || node.has("flopPerSample")) {
        throw yaml.bad(
            "states both work.flop and samples",
            "Maybe keep one: flop, or samples x flopPerSample.");
      }
      return new Work(positive(node, "flop"), utilisation);
    }
    double samples = samples(node);
    return new Work(samples * positive(node, "flopPerSample"), utilisation, samples);
  }

  private double samples(JsonNode work) {
    if (!inEpochs(work)) {
      return positive(work, "samples");
    }
    if (work.has("samples")) {
      throw yaml.bad(
          "states both work.samples and epochs",
          "Maybe keep one: samples, or epochs x samplesPerEpoch.");
    }
    double epochs = positive(work, "epochs");
    return epochs * positive(work, "samplesPerEpoch");
  }

  private static boolean inEpochs(JsonNode work) {
    return work.has("epochs") || work.has("samplesPerEpoch");
  }

  private double positive(JsonNode work, String key) {
    double value = yaml.number(work, "work.", key);
    if (!(value > 0)) {
      throw yaml.bad(
          "has work.%s: %s, which is not above 0".formatted(key, value),
          "Maybe a digit or a sign slipped in.");
    }
    return value;
  }

  private Profiles profiles(JsonNode root) {
    Integer batch = root.has("batch") ? yaml.count(root, "", "batch") : null;
    JsonNode servers = root.get("parameterServer");
    KnownSpeeds speeds = speeds(root);
    ModelSize model = yaml.under("model", () -> model(root.get("model")));
    return new Profiles(
        model,
        batch,
        yaml.under("averaging", () -> averaging(root, batch)),
        servers == null
            ? null
            : yaml.under(
                "parameterServer",
                () -> new ParameterServerKeys(yaml, servers, model, batch, speeds).read()),
        yaml.under("training", () -> training(root.get("training"))),
        speeds);
  }

  private TrainingSetup training(@Nullable JsonNode node) {
    if (node == null) {
      return TrainingSetup.USUAL;
    }
    String path = "training.";
    yaml.checkKeys(
        node,
        path,
        List.of("software", "optimizer", "globalBatch", "activations", "inputSamplesPerSecond"));
    return new TrainingSetup(
        node.has("software")
            ? yaml.choice(node, path, "software", Framework.values())
            : TrainingSetup.USUAL.framework(),
        node.has("optimizer")
            ? yaml.choice(node, path, "optimizer", Optimizer.values())
            : TrainingSetup.USUAL.optimizer(),
        node.has("globalBatch") ? yaml.count(node, path, "globalBatch") : null,
        node.has("activations") ? yaml.read(node, path, "activations", DataSize::parse) : null,
        node.has("inputSamplesPerSecond") ? yaml.number(node, path, "inputSamplesPerSecond") : null,
        true);
  }

  private KnownSpeeds speeds(JsonNode root) {
    JsonNode model = root.path("model");
    return yaml.under(
        "samplesPerSecond",
        () ->
            new KnownSpeeds(
                model.has("name") ? yaml.text(model, "model.", "name") : null,
                model.has("sampleSize") ? yaml.count(model, "model.", "sampleSize") : null,
                root.has("samplesPerSecond") ? numbers(root, "", "samplesPerSecond") : Map.of()));
  }

  private Map<String, Double> numbers(JsonNode parent, String path, String key) {
    JsonNode map = yaml.required(parent, path, key);
    yaml.requireMap(map, path + key);
    Map<String, Double> numbers = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : map.properties()) {
      numbers.put(entry.getKey(), yaml.number(map, path + key + ".", entry.getKey()));
    }
    return numbers;
  }

  private @Nullable ModelSize model(@Nullable JsonNode node) {
    if (node == null) {
      return null;
    }
    yaml.checkKeys(
        node, "model.", List.of("name", "parameters", "trained", "tensors", "sampleSize"));
    if (!node.has("parameters") && node.has("name") && !node.has("tensors")) {
      return null;
    }
    double parameters = yaml.number(node, "model.", "parameters");
    return new ModelSize(
        parameters,
        node.has("tensors") ? yaml.count(node, "model.", "tensors") : null,
        node.has("trained") ? yaml.number(node, "model.", "trained") : parameters);
  }

  private @Nullable AveragingProfile averaging(JsonNode root, @Nullable Integer batch) {
    JsonNode node = root.get("averaging");
    if (node == null) {
      return null;
    }
    String path = "averaging.";
    yaml.checkKeys(
        node,
        path,
        List.of(
            "samplesPerSecond",
            "microBatch",
            "targetBatch",
            "compression",
            "topology",
            "streams",
            "matchmakingSeconds",
            "overlap",
            "coefficients",
            "builtIn"));
    // The job's own speeds hold for every architecture.
    boolean measured = root.has("samplesPerSecond") && !node.has("samplesPerSecond");
    Map<String, Double> speeds = measured ? Map.of() : numbers(node, path, "samplesPerSecond");
    int microBatch =
        batch == null || node.has("microBatch") ? yaml.count(node, path, "microBatch") : batch;
    return new AveragingProfile(
        speeds,
        microBatch,
        targetBatches(node, path),
        protocol(node, path, microBatch),
        coefficients(node.get("coefficients"), path + "coefficients."));
  }

  /** All seven or none: they were fitted together, and mean little apart. */
  private Coefficients coefficients(@Nullable JsonNode node, String path) {
    if (node == null) {
      return Coefficients.STUDY;
    }
    yaml.checkKeys(node, path, Coefficients.FITTED);
    return Coefficients.STUDY.withFitted(
        Coefficients.FITTED.stream().mapToDouble(name -> yaml.number(node, path, name)).toArray());
  }

  private BuiltInTrainer builtIn(JsonNode node, String path, int microBatch) {
    yaml.checkKeys(node, path, List.of("stepSeconds", "peerSeconds", "wire"));
    return new BuiltInTrainer(
        microBatch,
        yaml.number(node, path, "stepSeconds"),
        yaml.number(node, path, "peerSeconds"),
        yaml.number(node, path, "wire"));
  }

  private List<Integer> targetBatches(JsonNode node, String path) {
    JsonNode stated = node.get("targetBatch");
    if (stated == null) {
      return List.of(AveragingProfile.USUAL_TARGET_BATCH);
    }
    if (!stated.isArray()) {
      return List.of(yaml.count(node, path, "targetBatch"));
    }
    List<Integer> batches = new ArrayList<>();
    for (JsonNode each : stated) {
      ObjectNode one = JsonNodeFactory.instance.objectNode().set("targetBatch", each);
      batches.add(yaml.count(one, path, "targetBatch"));
    }
    return batches;
  }

  private Protocol protocol(JsonNode node, String path, int microBatch) {
    Protocol protocol =
        node.has("builtIn")
            ? Protocol.builtIn(
                Compression.FP32, builtIn(node.get("builtIn"), path + "builtIn.", microBatch))
            : Protocol.USUAL;
    if (node.has("compression")) {
      protocol =
          protocol.withCompression(yaml.choice(node, path, "compression", Compression.values()));
    }
    if (node.has("topology")) {
      protocol = protocol.withTopology(yaml.choice(node, path, "topology", Topology.values()));
    }
    if (node.has("streams")) {
      protocol = protocol.withStreams(yaml.count(node, path, "streams"));
    }
    if (node.has("matchmakingSeconds")) {
      protocol = protocol.withMatchmaking(yaml.number(node, path, "matchmakingSeconds"));
    }
    return node.has("overlap") ? protocol.withOverlap(yaml.flag(node, path, "overlap")) : protocol;
  }

  private Scaling scaling(@Nullable JsonNode node) {
    if (node == null) {
      return Scaling.UNMEASURED;
    }
    yaml.checkKeys(node, "scaling.", List.of("assumed", "measured"));
    ScalingCurve assumed =
        node.has("assumed") ? curve(node.get("assumed"), "scaling.assumed.") : Scaling.ASSUMED;
    Map<String, ScalingCurve> measured = new HashMap<>();
    JsonNode curves = node.get("measured");
    if (curves != null) {
      yaml.requireMap(curves, "scaling.measured");
      curves
          .properties()
          .forEach(
              entry ->
                  measured.put(
                      entry.getKey(),
                      curve(entry.getValue(), "scaling.measured." + entry.getKey() + ".")));
    }
    return new Scaling(measured, assumed);
  }

  private ScalingCurve curve(JsonNode node, String path) {
    yaml.checkKeys(node, path, List.of("a", "b", "c", "serialShare", "speedups"));
    if (node.has("serialShare")) {
      yaml.checkKeys(node, path, List.of("serialShare"));
      double share = yaml.number(node, path, "serialShare");
      return yaml.under(path + "serialShare", () -> new ScalingCurve.Amdahl(share));
    }
    if (node.has("speedups")) {
      yaml.checkKeys(node, path, List.of("speedups"));
      return measured(node.get("speedups"), path + "speedups");
    }
    return new ScalingCurve.Logistic(
        yaml.number(node, path, "a"), yaml.number(node, path, "b"), yaml.number(node, path, "c"));
  }

  private ScalingCurve measured(JsonNode points, String path) {
    yaml.requireMap(points, path);
    if (points.isEmpty()) {
      throw yaml.bad(
          "has no speed-up in %s".formatted(path),
          "Maybe write it like speedups: {1: 1, 2: 1.9, 4: 3.5}, or leave it out.");
    }
    TreeMap<Integer, Double> speedups = new TreeMap<>();
    for (Map.Entry<String, JsonNode> point : points.properties()) {
      try {
        speedups.put(
            Integer.valueOf(point.getKey()), yaml.number(points, path + ".", point.getKey()));
      } catch (NumberFormatException e) {
        throw yaml.bad(
            "has '%s' under %s, which is not a number of nodes".formatted(point.getKey(), path),
            "Maybe write it like speedups: {1: 1, 2: 1.9, 4: 3.5}.");
      }
    }
    return yaml.under(path, () -> new ScalingCurve.Measured(speedups));
  }
}
