package io.deepvm.studies.skynomad;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the published runs: those that are packed, or the original's own tables in a folder. */
final class Points {

  private static final double RESTART_HOURS = 0.2;
  private static final Pattern QUOTED = Pattern.compile("'([^']+)'");
  private static final String V100 = "v100";
  private static final double V100_TICK_SECONDS = 195;
  private static final double H100_TICK_SECONDS = 600;

  /**
   * Where the windows of the H100 traces begin: the original rounds 1555.0000000000002 up, and
   * prints some beginnings with a bit lost.
   */
  private static final int[] H100_STARTS = {0, 311, 622, 933, 1244, 1556};

  private static final Map<String, String> POLICIES =
      Map.of(
          "rc_cr_threshold", "UP",
          "multi_region_rc_cr_threshold_eager_failover", "UP(S)",
          "multi_region_availability_probe_simple", "UP(A)",
          "multi_region_probe_cost_ratio", "UP(AP)",
          "unified_cost_model_risk", "SkyNomad",
          "unified_cost_model_rate_ratio", "SkyNomad[rate_ratio,virtual]",
          "unified_cost_model_oracle", "SkyNomad(o)",
          "multi_region_oracle_dp", ArtifactSimulator.OPTIMAL);

  private Points() {}

  /** Returns the packed runs, in the order of the original's tables. */
  static List<Point> packed() {
    Map<String, NamedCsvRecord> scenarios = new HashMap<>();
    for (NamedCsvRecord row : Packed.rows("scenarios.csv")) {
      scenarios.put(row.getField("scenario"), row);
    }
    List<Point> points = new ArrayList<>();
    for (NamedCsvRecord row : Packed.rows("published.csv")) {
      NamedCsvRecord scenario = scenarios.get(row.getField("scenario"));
      if (scenario == null) {
        throw new IllegalStateException("scenarios.csv lacks " + row.getField("scenario"));
      }
      String zone = row.getField("zone");
      String[] dollars = Packed.words(row, "dollars_by_window");
      String[] starts = Packed.words(scenario, "start_ticks");
      double ratio = Packed.number(row, "ratio");
      double deadline = Packed.number(scenario, "deadline_hours");
      for (int w = 0; w < dollars.length; w++) {
        points.add(
            new Point(
                row.getField("sweep"),
                row.getField("scenario"),
                scenario.getField("data"),
                zone.isEmpty() ? List.of(Packed.words(scenario, "zones")) : List.of(zone),
                row.getField("policy"),
                ratio,
                w,
                new ArtifactCase(
                    deadline / ratio,
                    deadline,
                    RESTART_HOURS,
                    Packed.number(row, "checkpoint_gb"),
                    Integer.parseInt(starts[w])),
                Double.parseDouble(dollars[w])));
      }
    }
    return points;
  }

  /** Returns the runs of every table in the folder's published tables, by the tables' names. */
  static List<Point> of(Path folder) {
    List<Path> tables;
    try (Stream<Path> files = Files.list(folder.resolve("published"))) {
      tables = files.filter(file -> file.toString().endsWith(".csv")).sorted().toList();
    } catch (IOException e) {
      throw new BadInput(
          "The folder %s has no published tables that can be read.".formatted(folder),
          "Maybe name the folder that holds the folder 'published' and the traces.");
    }
    List<Point> points = new ArrayList<>();
    for (Path table : tables) {
      try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(table)) {
        for (NamedCsvRecord row : reader) {
          if (!row.getField("task_type").equals("trace_mode_baseline")) {
            points.add(point(table, row));
          }
        }
      } catch (IOException | IllegalArgumentException | NoSuchElementException e) {
        throw new BadInput(
            "The table %s is not one of the original's: %s".formatted(table, e.getMessage()),
            "Maybe it is cut short, or another one.");
      }
    }
    return points;
  }

  private static Point point(Path table, NamedCsvRecord row) {
    String sweep = table.getFileName().toString().replace(".csv", "");
    List<String> zones = new ArrayList<>();
    Matcher quoted = QUOTED.matcher(row.getField("regions_in_scenario"));
    while (quoted.find()) {
      zones.add(quoted.group(1));
    }
    if (zones.isEmpty()) {
      throw new IllegalArgumentException("a row names no zones");
    }
    String region = row.getField("region");
    String data = zones.get(0).contains("_h100_") ? "h100" : V100;
    String policy = POLICIES.get(row.getField("strategy"));
    if (policy == null) {
      throw new IllegalArgumentException("there is no strategy " + row.getField("strategy"));
    }
    if (policy.equals("SkyNomad(o)") && data.equals(V100)) {
      policy = "SkyNomad(o)[rate_ratio]";
    }
    int window = Integer.parseInt(row.getField("window_index"));
    return new Point(
        sweep,
        row.getField("scenario_name"),
        data,
        region.isEmpty() ? List.copyOf(zones) : List.of(region),
        policy,
        Packed.number(row, "deadline_ratio"),
        window,
        new ArtifactCase(
            Packed.number(row, "task_duration"),
            Packed.number(row, "deadline_hours"),
            Packed.number(row, "restart_overhead"),
            Packed.number(row, "checkpoint_size"),
            start(row, data, window)),
        Packed.number(row, "cost"));
  }

  private static int start(NamedCsvRecord row, String data, int window) {
    double seconds = Packed.number(row, "env_start_hours") * 3600;
    if (data.equals(V100)) {
      return (int) Math.ceil(seconds / V100_TICK_SECONDS);
    }
    int start = (int) Math.ceil(seconds / H100_TICK_SECONDS);
    boolean usual =
        window >= 0 && window < H100_STARTS.length && Math.abs(H100_STARTS[window] - start) <= 1;
    return usual ? H100_STARTS[window] : start;
  }
}
