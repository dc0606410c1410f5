package io.deepvm.bench.scaling;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.workload.parameterserver.ServerSaturation;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** CM-DARE's clusters of 1 to 8 workers over one or two parameter servers. */
final class ServerClusters {

  /** The folder names the GPU and the servers, its run the model and the number of workers. */
  private static final Pattern RUN =
      Pattern.compile(
          ".*/speed_and_cluster_size/([^/]+)/([a-z]+\\d*?)[kp]?\\d*(?:ps2)?worker(\\d+)/.*");

  private final Map<String, Map<Integer, Double>> clusters = new TreeMap<>();

  ServerClusters(Reference reference) {
    for (NamedCsvRecord row : reference.speeds("cm-dare")) {
      Matcher run = RUN.matcher(row.getField("path"));
      if (run.matches()) {
        String model = run.group(2).contains("big") ? "shake-big" : run.group(2);
        clusters
            .computeIfAbsent(run.group(1) + " " + model, key -> new TreeMap<>())
            .put(Integer.valueOf(run.group(3)), Double.valueOf(row.getField("throughput")));
      }
    }
  }

  /** Each cluster predicted from the others of its model, GPU and servers. */
  ErrorTable leftOut() {
    ErrorTable errors = new ErrorTable();
    clusters.forEach(
        (name, cluster) ->
            cluster.forEach(
                (workers, measured) -> {
                  Map<Integer, Double> others = new TreeMap<>(cluster);
                  others.remove(workers);
                  if (others.size() > 1) {
                    ServerSaturation fit = ServerSaturation.fit(others);
                    errors.add(measured, fit.stepsPerSecond(workers), workers * fit.alone());
                  }
                }));
    return errors;
  }
}
