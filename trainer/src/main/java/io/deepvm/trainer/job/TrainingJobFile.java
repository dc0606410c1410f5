package io.deepvm.trainer.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.deepvm.base.BadInput;
import io.deepvm.trainer.data.DataSpec;
import io.deepvm.trainer.model.ModelSpec;
import io.deepvm.trainer.vector.OptimizerSpec;
import io.deepvm.workload.YamlFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The file that a {@link TrainingJob} is read from; what is left out has a default. */
final class TrainingJobFile {

  private final YamlFile file;
  private final Path folder;

  TrainingJobFile(Path path) {
    file = new YamlFile("training job", path);
    Path parent = path.toAbsolutePath().getParent();
    folder = parent == null ? path.toAbsolutePath() : parent;
  }

  TrainingJob read() {
    JsonNode root = file.parse();
    file.checkKeys(
        root,
        "",
        List.of(
            "name",
            "strategy",
            "model",
            "data",
            "batch",
            "work",
            "optimizer",
            "seed",
            "exchange",
            "staleness",
            "checkpoint"));
    long seed = whole(root, "", "seed", 1);
    JsonNode exchange = part(root, "exchange", "wire", "average", "topology", "overlap");
    JsonNode batch = part(root, "batch", "micro", "target");
    int micro = (int) whole(batch, "batch.", "micro", 16);
    int target = (int) whole(batch, "batch.", "target", micro);
    return new TrainingJob(
        file.text(root, "", "name"),
        choice(root, "", "strategy", TrainingJob.Strategy.values()),
        model(part(root, "model", "kind", "hidden", "blocks", "width", "heads", "file")),
        data(part(root, "data", "kind", "samples", "classes", "noise", "length", "folder")),
        micro,
        target,
        steps(part(root, "work", "steps", "samples"), target),
        optimizer(part(root, "optimizer", "kind", "rate", "momentum", "decay")),
        seed,
        choice(exchange, "exchange.", "wire", TrainingJob.Wire.values()),
        choice(exchange, "exchange.", "average", TrainingJob.Average.values()),
        choice(exchange, "exchange.", "topology", TrainingJob.Topology.values()),
        flag(exchange, "exchange.", "overlap"),
        (int) whole(root, "", "staleness", -1),
        checkpoint(root));
  }

  private ModelSpec model(JsonNode node) {
    List<Integer> hidden = new ArrayList<>();
    for (JsonNode width : node.path("hidden")) {
      hidden.add(width.asInt());
    }
    return new ModelSpec(
        choice(node, "model.", "kind", ModelSpec.Kind.values()),
        hidden,
        (int) whole(node, "model.", "blocks", 1),
        (int) whole(node, "model.", "width", 16),
        (int) whole(node, "model.", "heads", 4),
        path(node, "file"));
  }

  private DataSpec data(JsonNode node) {
    return new DataSpec(
        choice(node, "data.", "kind", DataSpec.Kind.values()),
        whole(node, "data.", "samples", 50_000),
        (int) whole(node, "data.", "classes", 10),
        number(node, "data.", "noise", 1),
        (int) whole(node, "data.", "length", 64),
        path(node, "folder"));
  }

  private long steps(JsonNode node, int target) {
    if (node.has("steps") == node.has("samples")) {
      throw file.bad("has not one of work.steps and work.samples", "Maybe write steps: 100.");
    }
    return node.has("steps")
        ? whole(node, "work.", "steps", 0)
        : (whole(node, "work.", "samples", 0) + target - 1) / target;
  }

  private OptimizerSpec optimizer(JsonNode node) {
    return new OptimizerSpec(
        choice(node, "optimizer.", "kind", OptimizerSpec.Kind.values()),
        number(node, "optimizer.", "rate", 0.05),
        number(node, "optimizer.", "momentum", 0.9),
        number(node, "optimizer.", "decay", 0.999));
  }

  private @Nullable CheckpointSpec checkpoint(JsonNode root) {
    if (!root.has("checkpoint")) {
      return null;
    }
    JsonNode node = part(root, "checkpoint", "folder", "anchors", "tokenFile", "every");
    List<String> anchors = new ArrayList<>();
    node.path("anchors").forEach(anchor -> anchors.add(anchor.asText()));
    boolean auto = node.path("every").asText("auto").equals("auto");
    return new CheckpointSpec(
        path(node, "folder"),
        anchors,
        path(node, "tokenFile"),
        auto ? 0 : (int) whole(node, "checkpoint.", "every", 0));
  }

  private JsonNode part(JsonNode root, String key, String... known) {
    JsonNode node = root.path(key);
    if (!node.isMissingNode()) {
      file.checkKeys(node, key + ".", List.of(known));
    }
    return node;
  }

  private <E> E choice(JsonNode node, String path, String key, E[] values) {
    return node.has(key) ? file.choice(node, path, key, values) : values[0];
  }

  private boolean flag(JsonNode node, String path, String key) {
    JsonNode value = node.path(key);
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw file.bad(
          "has %s%s: %s, which is not true or false".formatted(path, key, value.asText()),
          "Maybe write true.");
    }
    return value.asBoolean(false);
  }

  private double number(JsonNode node, String path, String key, double otherwise) {
    return node instanceof MissingNode || !node.has(key) ? otherwise : file.number(node, path, key);
  }

  private long whole(JsonNode node, String path, String key, long otherwise) {
    double value = number(node, path, key, (double) otherwise);
    if (value != Math.rint(value) || Math.abs(value) > 1L << 53) {
      throw file.bad(
          "has %s%s: %s, which is not a whole number".formatted(path, key, value),
          "Maybe write it like 32.");
    }
    return (long) value;
  }

  private @Nullable Path path(JsonNode node, String key) {
    try {
      return node.has(key) ? folder.resolve(node.get(key).asText()) : null;
    } catch (java.nio.file.InvalidPathException e) {
      throw new BadInput(
          "'%s' is no path.".formatted(node.get(key).asText()), "Maybe quote it in the file.");
    }
  }
}
