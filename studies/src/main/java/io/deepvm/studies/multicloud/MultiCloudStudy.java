package io.deepvm.studies.multicloud;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.studies.StudyRow;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Errors;
import io.deepvm.workload.averaging.Exchange.Bottleneck;
import io.deepvm.workload.averaging.FittedCoefficients;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.LinkKind;
import io.deepvm.workload.averaging.Questions;
import io.deepvm.workload.averaging.Route;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The multi-cloud study's tables and figures beside ours, and the errors of our model. */
public final class MultiCloudStudy {

  private static final String STUDY = "multicloud";

  /** Where the study's full tables are, as seen from the project. */
  private static final Path FULL_TABLES = Path.of("..", "shared", "data", "multicloud");

  /** What a VM of Google pays for traffic of all it costs an hour, as the paper prints both. */
  private static final double PRINTED_TRAFFIC_SHARE = 4.58 / 4.80;

  private static final String FITTED = "fitted (S, A, B, E)";
  private static final String NOT_FITTED = "not fitted (the others)";

  /** Megabits that one stream carries per round trip on Google's network (notes, section 2.2). */
  private static final double LAW = 21_000;

  /** What a n1-standard-8 sends at most with many streams. */
  private static final double CARD_MBPS = 6_200;

  private final Tables tables;
  private final List<Run> runs;
  private final List<Run> alone;

  private MultiCloudStudy(Tables tables) {
    this.tables = tables;
    Runs read = new Runs(tables);
    this.runs = read.averaged();
    this.alone = read.alone();
  }

  /** Returns the study over the small extract that is packed. */
  public static MultiCloudStudy builtIn() {
    return new MultiCloudStudy(new Tables(null));
  }

  /** Returns the study over the full tables in a folder. */
  public static MultiCloudStudy of(Path folder) {
    return new MultiCloudStudy(new Tables(folder));
  }

  /**
   * Returns the study over the full tables beside the project, the extract where there are none.
   */
  public static MultiCloudStudy beside(Path project) {
    Path folder = project.resolve(FULL_TABLES).normalize();
    return Files.isReadable(folder.resolve(Runs.TABLE)) ? of(folder) : builtIn();
  }

  /**
   * Returns all rows: the data, headlines, speed, granularity, money, network, the four-continent
   * case, errors.
   */
  public List<StudyRow> rows() {
    List<StudyRow> rows = new ArrayList<>();
    rows.add(row("stable runs in the data", null, (double) runs.size(), "data: " + tables));
    rows.addAll(new Headlines(tables, runs).rows());
    throughput(rows);
    granularity(rows);
    money(rows);
    rows.addAll(new CostBreakdown(runs).rows());
    network(rows);
    fourContinents(rows);
    errors(rows);
    return List.copyOf(rows);
  }

  static StudyRow row(String name, @Nullable Double published, @Nullable Double ours, String note) {
    return new StudyRow(STUDY, name, published, ours, note);
  }

  private void throughput(List<StudyRow> rows) {
    for (Run run : runs) {
      Forecast forecast = run.forecast();
      Bottleneck bottleneck = forecast.bottleneck();
      rows.add(
          row(
              "samples/s " + run.name(),
              run.observation().samplesPerSecond(),
              forecast.samplesPerSecond(),
              "%s; %s; %s"
                  .formatted(
                      run.members(),
                      bottleneck == null ? "one region" : "slowest link " + bottleneck,
                      Validation.fitted(run) ? "fitted" : "not fitted")));
    }
  }

  private void granularity(List<StudyRow> rows) {
    for (Run run : runs) {
      RunFigures figures = run.figures();
      if (figures.granularityWall() != null) {
        rows.add(
            row(
                "granularity " + run.name(),
                figures.granularityPrinted(),
                byTheClock(run.forecast()),
                "ours by the clock on the wall, waiting counted as calculating; measured so: %s; the paper's timers do not wait for the GPU"
                    .formatted(figures.granularityWall())));
      }
      if (figures.communicationSeconds() != null) {
        rows.add(
            row(
                "communication s " + run.name(),
                figures.communicationSeconds(),
                run.forecast().communicationSeconds(),
                "per round"));
      }
    }
    rows.add(row("gain of doubling at G 1", 1.33, Questions.doubling(1), "at best"));
    rows.add(row("gain of doubling at G 10", 1.83, Questions.doubling(10), "at best"));
  }

  /** Returns the granularity as measured: all time but communication counts as calculating. */
  static double byTheClock(Forecast forecast) {
    return forecast.readySeconds() / forecast.communicationSeconds();
  }

  /** $ per million samples in the clouds; the paper prices no traffic to own machines. */
  private void money(List<StudyRow> rows) {
    for (Run run : runs) {
      if ("EF".contains(run.experiment()) || run.figures().dollarsPerMillion() == null) {
        continue;
      }
      Forecast forecast = run.forecast();
      rows.add(
          row(
              "$/million machines " + run.name(),
              run.figures().dollarsPerMillionMachines(),
              forecast.perMillion(forecast.machinesPerHour()),
              "April 2023 spot prices"));
      rows.add(
          row(
              "$/million with traffic " + run.name(),
              run.figures().dollarsPerMillion(),
              forecast.dollarsPerMillion(),
              "every peer with every other; inside a zone at the paper's $0.01/GB"));
    }
  }

  private void network(List<StudyRow> rows) {
    for (NamedCsvRecord row : tables.rows("network.csv")) {
      String from = Tables.text(row, "from");
      String to = Tables.text(row, "to");
      if (!from.equals(to) && !from.startsWith("ONPREM")) {
        rows.add(
            row(
                "Mbps %s to %s".formatted(from, to),
                Tables.number(row, "mbps"),
                LAW / Tables.number(row, "latency_ms"),
                "one stream, by the law 21000 / round trip in ms"));
      }
    }
    Double one = null;
    for (NamedCsvRecord row : tables.rows("network_multistream.csv")) {
      String from = Tables.text(row, "from");
      double streams = Tables.number(row, "streams");
      double measured = Tables.number(row, "total_mbps");
      if (from.equals(Tables.text(row, "to"))) {
        continue;
      }
      if (streams == 1) {
        one = measured;
      } else if (one != null) {
        rows.add(
            row(
                "Mbps %s to %s, %.0f streams".formatted(from, Tables.text(row, "to"), streams),
                measured,
                Math.min(one * Coefficients.STUDY.streams(kind(row), (int) streams), CARD_MBPS),
                "one stream times streams, on the internet to the power 0.9; up to the card"));
      }
    }
  }

  private static LinkKind kind(NamedCsvRecord row) {
    return CatalogNetwork.kind(
        StudyPlaces.place(Tables.text(row, "from")), StudyPlaces.place(Tables.text(row, "to")));
  }

  /** Eight peers on four continents train RoBERTa-XLM: the case to advise against. */
  private void fourContinents(List<StudyRow> rows) {
    for (Run run : runs) {
      if (!run.id().equals("C-8") || !run.modelKey().equals("RXLM")) {
        continue;
      }
      Forecast forecast = run.forecast();
      Bottleneck bottleneck = forecast.bottleneck();
      Double machines = run.figures().dollarsPerMillionMachines();
      Double all = run.figures().dollarsPerMillion();
      rows.add(
          row(
              "share of traffic in the price, C-8 RXLM",
              PRINTED_TRAFFIC_SHARE,
              forecast.egressShare(),
              "dearest route %s; %s by the measured bytes; the paper prints $4.58 of $4.80 an hour"
                  .formatted(
                      dearest(forecast),
                      machines == null || all == null
                          ? "not known"
                          : String.format(Locale.ROOT, "%.2f", 1 - machines / all))));
      rows.add(
          row(
              "Mbps of the slowest link, C-8 RXLM",
              69.3,
              bottleneck == null ? null : bottleneck.link().stream().mbps(),
              "slowest link %s; the paper takes the averaging to run through the United States"
                  .formatted(bottleneck)));
      rows.add(
          row(
              "verdict on C-8 RXLM (granularity)",
              run.figures().granularityPrinted(),
              byTheClock(forecast),
              "%s: measured by the clock %s; %s"
                  .formatted(
                      new Questions(run.model())
                          .suitability(run.groups(), run.observation().targetBatch()),
                      run.figures().granularityWall(),
                      String.join(" ", forecast.warnings()))));
    }
  }

  private static String dearest(Forecast forecast) {
    Route route = forecast.routes().get(0);
    return String.format(
        Locale.ROOT, "%s to %s (%.0f GB/h)", route.from(), route.to(), route.gbPerHour());
  }

  private void errors(List<StudyRow> rows) {
    Validation all = new Validation(runs);
    errors(rows, "all stable runs", all);
    all.by(run -> Validation.fitted(run) ? FITTED : NOT_FITTED)
        .forEach((name, part) -> errors(rows, name, part));
    all.by(Run::experiment).forEach((letter, part) -> errors(rows, "experiment " + letter, part));
    leaveOneOut(rows, "one model left out at a time", all.leaveOneOut(Run::modelKey));
    leaveOneOut(rows, "one experiment left out at a time", all.leaveOneOut(Run::experiment));
    leaveOneOut(rows, "one set of places left out at a time", all.leaveOneOut(Run::placeSet));
    FittedCoefficients fit = all.explain();
    covered(rows, FITTED, fit.coverage(all.observations(Validation::fitted)));
    covered(rows, NOT_FITTED, fit.coverage(all.observations(run -> !Validation.fitted(run))));
    List<Run> withAlone = new ArrayList<>(runs);
    withAlone.addAll(alone);
    signs(rows, "averaging runs", Validation.signs(runs));
    signs(rows, "with machines alone", Validation.signs(withAlone));
  }

  private static void covered(List<StudyRow> rows, String name, double share) {
    rows.add(
        row(
            "inside the 95 % interval, " + name,
            null,
            share,
            "share of the measured samples/s; coefficients and intervals fitted to S, A, B, E"));
  }

  private static void errors(List<StudyRow> rows, String name, Validation part) {
    errors(rows, name, part.reference(), part.errors(), "beside a simple reference model");
  }

  private static void leaveOneOut(List<StudyRow> rows, String name, Errors errors) {
    errors(
        rows,
        name,
        null,
        errors,
        "coefficients fitted to the rest; the form of the model was chosen with all in view");
  }

  private static void errors(
      List<StudyRow> rows, String name, @Nullable Errors other, Errors ours, String how) {
    String note = "error of samples/s over %d runs, %s".formatted(ours.runs(), how);
    rows.add(
        row("error median, " + name, other == null ? null : other.median(), ours.median(), note));
    rows.add(
        row(
            "error ninth decile, " + name,
            other == null ? null : other.ninthDecile(),
            ours.ninthDecile(),
            note));
    rows.add(row("error worst, " + name, other == null ? null : other.worst(), ours.worst(), note));
  }

  private static void signs(List<StudyRow> rows, String name, Validation.Signs signs) {
    rows.add(
        row(
            "right about whether more peers help, " + name,
            null,
            signs.share(),
            "%d of %d pairs of runs, one inside the other"
                .formatted(signs.right(), signs.pairs())));
  }
}
