package io.deepvm.studies.multicloud;

import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.Observation;
import io.deepvm.workload.averaging.PeerGroup;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One run of the study.
 *
 * @param members how many peers by place and GPU, as the table names them
 * @param observation what was run and how fast it was
 * @param figures what was measured beside the speed
 * @param referenceError of a simple reference model, on samples/s; null when not stated
 */
record Run(
    String id,
    String modelKey,
    Map<String, Integer> members,
    Observation observation,
    RunFigures figures,
    @Nullable Double referenceError) {

  /** The experiment's letter: S, A to F, W. */
  String experiment() {
    return id.substring(0, 1);
  }

  /** The places it spans, with the own machine where there is one. */
  String placeSet() {
    return String.join(
        "+",
        members.keySet().stream()
            .map(key -> key.startsWith("ONPREM") ? key : key.substring(0, key.indexOf(':')))
            .distinct()
            .sorted()
            .toList());
  }

  String name() {
    return "%s %s".formatted(id, modelKey);
  }

  List<PeerGroup> groups() {
    return observation.groups();
  }

  AveragingModel model() {
    return new AveragingModel(
        observation.model(), observation.network(), observation.protocol(), Coefficients.STUDY);
  }

  Forecast forecast() {
    return model().forecast(groups(), observation.targetBatch());
  }

  /** Whether all of its peers are also in the other run, which has more. */
  boolean isPartOf(Run other) {
    return modelKey.equals(other.modelKey)
        && observation.targetBatch() == other.observation.targetBatch()
        && !members.equals(other.members)
        && members.entrySet().stream()
            .allMatch(entry -> other.members.getOrDefault(entry.getKey(), 0) >= entry.getValue());
  }
}
