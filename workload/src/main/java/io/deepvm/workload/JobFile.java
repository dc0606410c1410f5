package io.deepvm.workload;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.deepvm.catalog.Precision;
import io.deepvm.units.BadInput;
import io.deepvm.units.DataSize;
import io.deepvm.units.Suggestion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a job from YAML (or JSON, which YAML contains); docs/job-file.md describes the keys. */
public final class JobFile {

  private static final long MOST_BYTES = 1 << 20;

  private static final double USUAL_UTILISATION = 0.35;

  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final Path file;

  private JobFile(Path file) {
    this.file = file;
  }

  /** Returns the job that the file describes. */
  public static Job read(Path file) {
    return new JobFile(file).job();
  }

  private Job job() {
    JsonNode root = parse();
    checkKeys(root, "", List.of("name", "precision", "gpuMemory", "checkpoint", "work", "scaling"));
    JsonNode name = root.get("name");
    return new Job(
        name == null ? String.valueOf(file.getFileName()) : name.asText(),
        precision(root.get("precision")),
        size(root.get("gpuMemory")),
        size(root.get("checkpoint")),
        work(root.get("work")),
        scaling(root.get("scaling")));
  }

  private JsonNode parse() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw bad("is larger than 1 MiB", "Maybe it is not a job file.");
      }
      return YAML.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      JsonLocation where = e.getLocation();
      String place =
          where == null
              ? ""
              : " at line %d, column %d".formatted(where.getLineNr(), where.getColumnNr());
      throw bad(
          "is not valid YAML%s".formatted(place),
          "Maybe a colon, a quote or the indentation is off, or a key stands twice.");
    } catch (IOException e) {
      throw bad("cannot be read", "Maybe the path is wrong.");
    }
  }

  private static Precision precision(@Nullable JsonNode node) {
    if (node == null) {
      return Precision.FP16;
    }
    for (Precision precision : Precision.values()) {
      if (precision.toString().equals(node.asText())) {
        return precision;
      }
    }
    List<String> known = Arrays.stream(Precision.values()).map(Precision::toString).toList();
    throw new BadInput(
        "'%s' is not a precision.".formatted(node.asText()),
        Suggestion.maybe(node.asText(), known, "Maybe fp32, tf32 or fp16."));
  }

  private static @Nullable DataSize size(@Nullable JsonNode node) {
    return node == null ? null : DataSize.parse(node.asText());
  }

  private @Nullable Work work(@Nullable JsonNode node) {
    if (node == null) {
      return null;
    }
    checkKeys(node, "work.", List.of("flop", "samples", "flopPerSample", "utilisation"));
    double utilisation =
        node.has("utilisation") ? number(node, "work.", "utilisation") : USUAL_UTILISATION;
    if (node.has("flop")) {
      if (node.has("samples") || node.has("flopPerSample")) {
        throw bad(
            "states both work.flop and samples",
            "Maybe keep one: flop, or samples x flopPerSample.");
      }
      return new Work(number(node, "work.", "flop"), utilisation);
    }
    return new Work(
        number(node, "work.", "samples") * number(node, "work.", "flopPerSample"), utilisation);
  }

  private Scaling scaling(@Nullable JsonNode node) {
    if (node == null) {
      return Scaling.UNMEASURED;
    }
    checkKeys(node, "scaling.", List.of("assumed", "measured"));
    ScalingCurve assumed =
        node.has("assumed") ? curve(node.get("assumed"), "scaling.assumed.") : Scaling.ASSUMED;
    Map<String, ScalingCurve> measured = new HashMap<>();
    JsonNode curves = node.get("measured");
    if (curves != null) {
      requireMap(curves, "scaling.measured");
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
    checkKeys(node, path, List.of("a", "b", "c", "serialShare", "speedups"));
    if (node.has("serialShare")) {
      checkKeys(node, path, List.of("serialShare"));
      return new ScalingCurve.Amdahl(number(node, path, "serialShare"));
    }
    if (node.has("speedups")) {
      checkKeys(node, path, List.of("speedups"));
      return measured(node.get("speedups"), path + "speedups");
    }
    return new ScalingCurve.Logistic(
        number(node, path, "a"), number(node, path, "b"), number(node, path, "c"));
  }

  private ScalingCurve measured(JsonNode points, String path) {
    requireMap(points, path);
    TreeMap<Integer, Double> speedups = new TreeMap<>();
    for (Map.Entry<String, JsonNode> point : points.properties()) {
      try {
        speedups.put(Integer.valueOf(point.getKey()), number(points, path + ".", point.getKey()));
      } catch (NumberFormatException e) {
        throw bad(
            "has '%s' under %s, which is not a number of nodes".formatted(point.getKey(), path),
            "Maybe write it like speedups: {1: 1, 2: 1.9, 4: 3.5}.");
      }
    }
    return new ScalingCurve.Measured(speedups);
  }

  private double number(JsonNode parent, String path, String key) {
    JsonNode node = parent.get(key);
    if (node == null) {
      throw bad("lacks %s%s".formatted(path, key), "Maybe add it, or drop %s".formatted(path));
    }
    try {
      // YAML takes 1e9 for a text; a person means a number.
      double value = Double.parseDouble(node.asText());
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // falls through to the one message for all of these
    }
    throw bad(
        "has %s%s: %s, which is not a number".formatted(path, key, node.asText()),
        "Maybe write it like 1.2e9.");
  }

  private void checkKeys(JsonNode node, String path, List<String> known) {
    requireMap(node, path.isEmpty() ? "the file" : path.substring(0, path.length() - 1));
    node.fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                throw bad(
                    "has the unknown key '%s%s'".formatted(path, key),
                    Suggestion.maybe(
                        key, known, "Maybe one of %s.".formatted(String.join(", ", known))));
              }
            });
  }

  private void requireMap(JsonNode node, String path) {
    if (!node.isObject()) {
      throw bad("has no keys in %s".formatted(path), "Maybe write key: value, one per line.");
    }
  }

  private BadInput bad(String problem, String wayOut) {
    return new BadInput("The job file %s %s.".formatted(file, problem), wayOut);
  }
}
