package io.deepvm.workload.parameterserver;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The reference vectors that lie beside a development checkout; tests of them skip without. */
final class SpotDnnVectors {

  private SpotDnnVectors() {}

  static JsonNode read() throws IOException {
    Path file =
        Path.of(System.getProperty("deepvm.root", "."), "../shared/vectors/spotdnn.json")
            .normalize();
    assumeTrue(Files.exists(file), "no shared reference data");
    return new ObjectMapper().readTree(file.toFile());
  }

  static ParameterServerProfile profile(JsonNode params, Contention contention, LossCurve loss) {
    return new ParameterServerProfile(
        new DataSize(Math.round(params.get("S").asDouble() * 1e6)),
        megabytes(params.get("Breq").asDouble()),
        megabytes(params.get("Bpcie").asDouble()),
        contention,
        loss,
        Map.of());
  }

  static Bandwidth megabytes(double perSecond) {
    return Bandwidth.ofMbps(perSecond * Byte.SIZE);
  }

  /** The case's worker types: the constants' speeds unless the case overrides them. */
  static List<WorkerType> types(JsonNode root, JsonNode testCase, ParameterServerProfile profile) {
    JsonNode constants = root.get("constants");
    JsonNode overrides = testCase.get("instance_overrides");
    List<WorkerType> types = new ArrayList<>();
    for (int i = 0; i < testCase.get("types").size(); i++) {
      String name = testCase.get("types").get(i).asText();
      if (overrides != null) {
        double gpus = overrides.get("gpus").get(i).asDouble();
        types.add(
            new WorkerType(
                name,
                gpus,
                gpus * overrides.get("batch_per_gpu").get(i).asDouble(),
                overrides.get("T_comp_s").get(i).asDouble(),
                profile.request(),
                profile.pcie()));
      } else {
        types.add(
            profile.measuredWorker(
                name,
                constants.get("gpus").get(i).asInt(),
                constants.get("batch_per_gpu").get(i).asDouble(),
                constants.get("speed_samples_per_s").get(i).asDouble()));
      }
    }
    return types;
  }
}
