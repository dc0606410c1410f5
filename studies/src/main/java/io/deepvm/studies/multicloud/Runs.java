package io.deepvm.studies.multicloud;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import io.deepvm.workload.averaging.AccumulatedRate;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Network;
import io.deepvm.workload.averaging.Observation;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.TrainedModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the study's stable runs and puts them into the averaging model's words. */
final class Runs {

  /** The table that holds the runs themselves. */
  static final String TABLE = "experiments.csv";

  /** Whisper was run with a longer matchmaking than the rest. */
  static final double WHISPER_MATCHMAKING_SECONDS = 15;

  private static final String ON_PREMISE = "ONPREM";

  private final Tables tables;
  private final Map<String, TrainedModel> models = new HashMap<>();
  private final Map<String, NamedCsvRecord> hosts = new HashMap<>();
  private final Map<String, Double> referenceErrors = new HashMap<>();
  private final Network network;

  Runs(Tables tables) {
    this.tables = tables;
    for (NamedCsvRecord row : tables.rows("models.csv")) {
      models.put(
          Tables.text(row, "key"),
          new TrainedModel(
              Tables.text(row, "name"),
              Tables.number(row, "params_M") * 1e6,
              (int) Tables.number(row, "param_tensors")));
    }
    for (NamedCsvRecord row : tables.rows("hosts.csv")) {
      hosts.put(Tables.text(row, "gpu") + ' ' + Tables.text(row, "model"), row);
    }
    for (NamedCsvRecord row : tables.rows("predictions.csv")) {
      referenceErrors.put(
          Tables.text(row, "id") + ' ' + Tables.text(row, "model"), Tables.number(row, "rel_err"));
    }
    network = StudyPlaces.network(tables.rows("network.csv"));
  }

  /** Returns the stable runs of several peers. */
  List<Run> averaged() {
    List<Run> runs = new ArrayList<>();
    for (NamedCsvRecord row : tables.rows(TABLE)) {
      Double batch = Tables.optional(row, "target_batch_size");
      if (batch != null && Tables.text(row, "stable").equals("1")) {
        double speed = Tables.number(row, "throughput_sps");
        runs.add(run(row, batch.intValue(), speed, null));
      }
    }
    return runs;
  }

  /** Returns the machines alone, by the clock on the wall, at each target batch of the model. */
  List<Run> alone() {
    List<Run> averaged = averaged();
    List<Run> runs = new ArrayList<>();
    for (NamedCsvRecord row : tables.rows(TABLE)) {
      Double speed = Tables.optional(row, "local_sps");
      String model = Tables.text(row, "model");
      if (Tables.optional(row, "target_batch_size") != null || speed == null) {
        continue;
      }
      averaged.stream()
          .filter(run -> run.modelKey().equals(model))
          .map(run -> run.observation().targetBatch())
          .distinct()
          .forEach(batch -> runs.add(run(row, batch, speed, speed)));
    }
    return runs;
  }

  /**
   * @param alone the speed of a machine that trains alone and so does not accumulate; else null
   */
  private Run run(NamedCsvRecord row, int batch, double speed, @Nullable Double alone) {
    String id = Tables.text(row, "id");
    String model = Tables.text(row, "model");
    Map<String, Integer> members = new LinkedHashMap<>();
    List<PeerGroup> groups = new ArrayList<>();
    for (String host : Tables.text(row, "hosts").split(";", -1)) {
      int times = host.lastIndexOf('x');
      String kind = host.substring(0, times);
      int count = Integer.parseInt(host.substring(times + 1));
      members.put(kind, count);
      groups.add(new PeerGroup(peer(kind, model, alone), count));
    }
    Protocol protocol =
        id.startsWith("W-")
            ? Protocol.USUAL.withMatchmaking(WHISPER_MATCHMAKING_SECONDS)
            : Protocol.USUAL;
    return new Run(
        id,
        model,
        members,
        new Observation(known(models, model), groups, network, protocol, batch, speed),
        new RunFigures(
            Tables.optional(row, "granularity"),
            Tables.optional(row, "granularity_wall"),
            Tables.optional(row, "comm_s"),
            Tables.optional(row, "cost_per_1M_vm_only"),
            Tables.optional(row, "cost_per_1M_vm_plus_egress")),
        referenceErrors.get(id + ' ' + model));
  }

  private Peer peer(String kind, String model, @Nullable Double alone) {
    String place = kind.substring(0, kind.indexOf(':'));
    String gpu = kind.substring(kind.indexOf(':') + 1);
    return new Peer(
        gpu,
        StudyPlaces.place(place.startsWith(ON_PREMISE) ? kind : place),
        alone == null ? accumulating(gpu, model) : alone,
        gpu.equals("A10") ? HostClass.LARGE : HostClass.SMALL,
        StudyPlaces.price(place),
        null);
  }

  private double accumulating(String gpu, String model) {
    NamedCsvRecord host = known(hosts, gpu + ' ' + model);
    return AccumulatedRate.of(
        Tables.number(host, "wallclock_single_sps"),
        (int) Tables.number(host, "micro_batch"),
        Tables.number(host, "gpu_mem_GBps_spec") * 1e9,
        known(models, model));
  }

  private static <T> T known(Map<String, T> map, String key) {
    @Nullable T value = map.get(key);
    if (value == null) {
      throw new BadInput(
          "The multi-cloud study's tables do not describe '%s'.".formatted(key),
          "Maybe models.csv or hosts.csv lacks a row.");
    }
    return value;
  }
}
