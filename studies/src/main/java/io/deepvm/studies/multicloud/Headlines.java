package io.deepvm.studies.multicloud;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.studies.StudyRow;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.TrainedModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The figures by which the study is quoted, as the paper prints them, beside what our model gives.
 * The paper divides speeds by the clock on the wall by speeds of machines alone from timers that do
 * not wait for the GPU; both clocks are shown.
 */
final class Headlines {

  /** Samples per second that a T4 alone trains of WhisperTiny, by the clock on the wall. */
  private static final double WHISPER_ALONE = 15.3;

  private static final String CV = "CONV";
  private static final String NLP = "RXLM";

  /** A DGX-2 with eight V100 in Google's cloud, spot, dollars an hour (section 4). */
  private static final double DGX2_PER_HOUR = 6.30;

  /** A machine that trains alone. */
  private record Alone(double published, double byTheClock) {}

  private final List<Run> runs;
  private final Map<String, Alone> alone = new TreeMap<>();
  private final List<StudyRow> rows = new ArrayList<>();

  Headlines(Tables tables, List<Run> runs) {
    this.runs = runs;
    for (NamedCsvRecord row : tables.rows(Runs.TABLE)) {
      Double published = Tables.optional(row, "throughput_sps");
      Double local = Tables.optional(row, "local_sps");
      boolean single = Tables.optional(row, "target_batch_size") == null;
      if (single && published != null && local != null) {
        alone.put(
            Tables.text(row, "id") + ' ' + Tables.text(row, "model"), new Alone(published, local));
      }
    }
  }

  List<StudyRow> rows() {
    speedups();
    distance();
    penalty();
    dgx2();
    hybrid();
    whisper();
    return List.copyOf(rows);
  }

  /** Table of speed-ups on eight A10: 4.37 at best, 2.29 at worst. */
  private void speedups() {
    Map<String, Double> printed = Map.of("RN152", 4.37, NLP, 2.29);
    for (Run run : runs) {
      Alone one = alone.get("1xA10 " + run.modelKey());
      if (!run.id().startsWith("S-8xA10") || one == null) {
        continue;
      }
      double measured = run.observation().samplesPerSecond();
      double ours = run.forecast().samplesPerSecond();
      add(
          "speed-up of eight A10, " + run.modelKey(),
          printed.get(run.modelKey()),
          ours / one.published,
          "over the published speed of one; measured %.2f; the paper prints its best and worst"
              .formatted(measured / one.published));
      add(
          "speed-up of eight A10 by the clock, " + run.modelKey(),
          null,
          ours / one.byTheClock,
          "measured %.2f".formatted(measured / one.byTheClock));
    }
  }

  /** What crossing the Atlantic and spreading over four continents cost at eight T4. */
  private void distance() {
    loss("crossing the Atlantic", "B-8", CV, 0.02);
    loss("crossing the Atlantic", "B-8", NLP, 0.22);
    loss("spreading over four continents", "C-8", CV, 0.07);
    loss("spreading over four continents", "C-8", NLP, 0.41);
  }

  private void loss(String what, String id, String model, double printed) {
    Run near = run("A-8", model);
    Run far = run(id, model);
    if (near != null && far != null) {
      add(
          "speed lost by %s, %s".formatted(what, model),
          printed,
          1 - far.forecast().samplesPerSecond() / near.forecast().samplesPerSecond(),
          "%s beside A-8, both predicted".formatted(id));
    }
  }

  /** What accumulating in the averaging framework takes from a machine that trains alone. */
  private void penalty() {
    for (String model : List.of(CV, NLP)) {
      Run two = run("S-2xA10-%s-32768".formatted(model), model);
      Alone one = alone.get("1xA10 " + model);
      if (two != null && one != null) {
        double accumulating = two.groups().get(0).peer().samplesPerSecond();
        add(
            "speed lost to accumulating on A10, " + model,
            model.equals(CV) ? 0.52 : null,
            1 - accumulating / one.byTheClock,
            "the paper's 52 %% compare two clocks; on its own, this is %.2f"
                .formatted(1 - accumulating / one.published));
      }
    }
  }

  /** Eight T4 beside a DGX-2, in speed and in dollars per million samples. */
  private void dgx2() {
    dgx2(CV, 4.24, 1.77);
    dgx2(NLP, 0.97, 1.43);
  }

  private void dgx2(String model, double printedDgx2, double printedT4) {
    Alone dgx2 = alone.get("F-0 " + model);
    Run t4 = run("A-8", model);
    if (dgx2 == null || t4 == null) {
      return;
    }
    add(
        "$/million DGX-2 spot, " + model,
        printedDgx2,
        DGX2_PER_HOUR / 3600 / dgx2.byTheClock * 1e6,
        "by the clock; the paper's speed comes from timers");
    add(
        "$/million eight T4, " + model,
        printedT4,
        t4.forecast().dollarsPerMillion(),
        "all traffic at the paper's $0.01/GB; the paper charges a third of a smaller run's");
    add(
        "speed of eight T4 over a DGX-2, " + model,
        null,
        t4.forecast().samplesPerSecond() / dgx2.byTheClock,
        "by the clock; %.2f by the paper's speeds"
            .formatted(t4.observation().samplesPerSecond() / dgx2.published));
  }

  /** An own machine with eight T4 beside the own machine, and beside the eight alone. */
  private void hybrid() {
    for (String model : List.of(CV, NLP)) {
      Run hybrid = run("E-A-8", model);
      Run cloud = run("A-8", model);
      Alone own = alone.get("E-0 " + model);
      if (hybrid == null || cloud == null || own == null) {
        continue;
      }
      add(
          "hybrid E-A-8 over its RTX8000 alone, " + model,
          hybrid.observation().samplesPerSecond() / own.published,
          hybrid.forecast().samplesPerSecond() / own.published,
          "published: one printed speed over the other; ours over the printed one; by the clock %.2f"
              .formatted(hybrid.forecast().samplesPerSecond() / own.byTheClock));
      add(
          "hybrid E-A-8 over eight T4 in one zone, " + model,
          hybrid.observation().samplesPerSecond() / cloud.observation().samplesPerSecond(),
          hybrid.forecast().samplesPerSecond() / cloud.forecast().samplesPerSecond(),
          "published: one printed speed over the other; below 1, the own machine slows the cloud down");
    }
  }

  /** WhisperTiny on eight T4: it waits for matchmaking far longer than it calculates. */
  private void whisper() {
    Peer t4 =
        new Peer(
            "T4",
            StudyPlaces.place("GC-US"),
            WHISPER_ALONE,
            HostClass.SMALL,
            StudyPlaces.price("GC-US"),
            null);
    Forecast forecast =
        new AveragingModel(
                new TrainedModel("WhisperTiny", 37.8e6, 167),
                new CatalogNetwork(),
                Protocol.USUAL.withMatchmaking(Runs.WHISPER_MATCHMAKING_SECONDS))
            .forecast(List.of(new PeerGroup(t4, 8)), 256);
    add(
        "granularity of WhisperTiny on eight T4, batch 256",
        null,
        forecast.granularity(),
        "the paper prints no such figure; %.2f with the wait for matchmaking counted as calculating"
            .formatted(MultiCloudStudy.byTheClock(forecast)));
  }

  private @Nullable Run run(String id, String model) {
    return runs.stream()
        .filter(run -> run.id().equals(id) && run.modelKey().equals(model))
        .findFirst()
        .orElse(null);
  }

  private void add(String name, @Nullable Double published, double ours, String note) {
    rows.add(MultiCloudStudy.row(name, published, ours, note));
  }
}
