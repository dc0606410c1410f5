package io.deepvm.studies.skynomad;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.PaceValue;
import io.deepvm.studies.StudyRow;
import io.deepvm.studies.skynomad.Evaluation.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * SkyNomad's published sweeps beside ours: the means of the figures, the table of appendix A.7, and
 * every run, with what is paid without the original's mistakes and the least that can be paid.
 */
public final class SkyNomadStudy {

  private static final String STUDY = "skynomad";

  private static final Map<String, String> FIGURES =
      Map.of(
          "deadline_sensitivity", "Fig. 9a, 10a",
          "region_scaling", "Fig. 10b",
          "region_selection", "Fig. 15",
          "checkpoint_sensitivity", "Fig. 12",
          "v100", "Fig. 9b (the table differs from the original run again by up to 8.7e-6)");

  private final Evaluation evaluation;
  private final List<Point> points;

  SkyNomadStudy(Traces traces, List<Point> points) {
    this.evaluation = new Evaluation(traces);
    this.points = points;
  }

  /** Returns the study over the runs and traces that are packed. */
  public static SkyNomadStudy builtIn() {
    return new SkyNomadStudy(Traces.packed(), Points.packed());
  }

  /** Returns the study over a folder with the original's traces and tables. */
  public static SkyNomadStudy of(Path folder) {
    return new SkyNomadStudy(Traces.of(folder), Points.of(folder));
  }

  /** Returns the packed market of one of the original's sets of zones, by its name there. */
  public static GangMarket market(String scenario) {
    for (NamedCsvRecord row : Packed.rows("scenarios.csv")) {
      if (row.getField("scenario").equals(scenario)) {
        return Traces.packed().market(row.getField("data"), List.of(Packed.words(row, "zones")));
      }
    }
    throw new BadInput(
        "SkyNomad's sweeps have no zones called '%s'.".formatted(scenario),
        "Maybe 'Global Diverse (6)'.");
  }

  /** Returns the figures' means, the appendix, then every run. */
  public List<StudyRow> rows() {
    List<Result> results = evaluation.of(points);
    List<StudyRow> rows = new ArrayList<>(means(results));
    rows.addAll(appendix());
    rows.addAll(runs(results));
    return List.copyOf(rows);
  }

  private static List<StudyRow> means(List<Result> results) {
    Map<String, List<Result>> groups = new LinkedHashMap<>();
    for (Result result : results) {
      groups.computeIfAbsent(result.point().mean(), key -> new ArrayList<>()).add(result);
    }
    List<StudyRow> rows = new ArrayList<>();
    groups.forEach(
        (name, group) -> {
          Point first = group.get(0).point();
          String figure = FIGURES.getOrDefault(first.sweep(), "no figure");
          rows.add(
              new StudyRow(
                  STUDY,
                  "mean $ " + name,
                  group.stream().mapToDouble(r -> r.point().published()).average().orElseThrow(),
                  group.stream().mapToDouble(Result::reproduced).average().orElseThrow(),
                  "%s, %d runs; %s".formatted(figure, group.size(), besides(group))));
        });
    return rows;
  }

  /** What is paid without the original's mistakes, and the least that can be. */
  private static String besides(List<Result> group) {
    if (group.get(0).corrected() == null) {
      return "infeasible: all on demand is reported instead";
    }
    double corrected =
        group.stream()
            .mapToDouble(r -> Objects.requireNonNull(r.corrected()))
            .average()
            .orElseThrow();
    double bound =
        group.stream().mapToDouble(r -> Objects.requireNonNull(r.bound())).average().orElseThrow();
    if (group.get(0).point().policy().equals(ArtifactSimulator.OPTIMAL)) {
      return String.format(
          Locale.ROOT,
          "not a bound; the least that can be paid is $%.2f, last tick included",
          bound);
    }
    return String.format(
        Locale.ROOT,
        "without the original's mistakes $%.2f, last tick included; %.1f %% above the least, $%.2f",
        corrected,
        100 * (corrected / bound - 1),
        bound);
  }

  private static List<StudyRow> runs(List<Result> results) {
    Map<String, Double> optimal = new HashMap<>();
    for (Result result : results) {
      Point point = result.point();
      if (point.policy().equals(ArtifactSimulator.OPTIMAL)) {
        optimal.put(point.group() + " " + point.window(), point.published());
      }
    }
    List<StudyRow> rows = new ArrayList<>();
    for (Result result : results) {
      Point point = result.point();
      Double best = optimal.get(point.group() + " " + point.window());
      String note = besides(List.of(result));
      if (best != null && isBeaten(best, point)) {
        note =
            String.format(
                Locale.ROOT, "less than what the original calls optimal, $%.2f; %s", best, note);
      }
      rows.add(
          new StudyRow(STUDY, "$ " + point.name(), point.published(), result.reproduced(), note));
    }
    return rows;
  }

  private static boolean isBeaten(double optimal, Point point) {
    return !point.policy().equals("UP") && point.published() < optimal * (1 - 1e-9);
  }

  /** Appendix A.7: what other values of progress cost above the original's optimum; packed. */
  private static List<StudyRow> appendix() {
    Traces traces = Traces.packed();
    List<StudyRow> rows = new ArrayList<>();
    for (NamedCsvRecord row : Packed.rows("appendix.csv")) {
      GangMarket market = traces.market(row.getField("data"), List.of(Packed.words(row, "zones")));
      double deadline = Packed.number(row, "deadline_hours");
      double ratio = Packed.number(row, "ratio");
      List<ArtifactCase> cases = new ArrayList<>();
      for (String start : Packed.words(row, "start_ticks")) {
        cases.add(new ArtifactCase(deadline / ratio, deadline, 0.2, 50, Integer.parseInt(start)));
      }
      String cell = "Table A.7, %s, ratio %s: ".formatted(row.getField("cell"), ratio);
      double optimal =
          mean(cases, given -> ArtifactSimulator.run(ArtifactSimulator.OPTIMAL, market, given));
      rows.add(
          new StudyRow(
              STUDY,
              cell + ArtifactSimulator.OPTIMAL + " $",
              Packed.number(row, ArtifactSimulator.OPTIMAL),
              optimal,
              "mean of 12 windows, printed with two decimals"));
      for (PaceValue value : PaceValue.values()) {
        if (row.findField(value.name()).isEmpty()) {
          continue;
        }
        double mean = mean(cases, given -> ArtifactSimulator.run(value, market, given));
        rows.add(
            new StudyRow(
                STUDY,
                cell + value.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " above it $",
                Packed.number(row, value.name()),
                mean - optimal,
                "last tick included; printed with two decimals"));
      }
    }
    return rows;
  }

  /** The mean of the whole costs, added up in the order of the cases. */
  private static double mean(
      List<ArtifactCase> cases, Function<ArtifactCase, ArtifactOutcome> run) {
    List<Double> dollars =
        cases.parallelStream().map(given -> run.apply(given).full().dollars()).toList();
    return dollars.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
