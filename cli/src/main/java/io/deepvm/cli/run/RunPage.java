package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.cli.chart.Chart;
import io.deepvm.cli.chart.Page;
import io.deepvm.cli.chart.TimelineChart;
import io.deepvm.cli.chart.TrainingChart;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.print.Figures;
import io.deepvm.cli.print.Table;
import io.deepvm.cluster.log.Emulated;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.Retelling;
import io.deepvm.cluster.log.Revoked;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Timeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The page about a run after its end: what was predicted and what came of it.
 *
 * @param title what the run is called
 * @param story what was planned and simulated before, a sentence each
 * @param foreseen what the simulator said of the same market; its times are the market's
 */
record RunPage(
    String title,
    List<String> story,
    List<Logged> events,
    LocalStage local,
    Outcome foreseen,
    Timeline foreseenCourse) {

  /** Writes the page. */
  void write(Path file) {
    RunStatus status = RunStatus.of(events);
    Timeline course = new Timeline();
    Retelling.tell(events, local.samplesPerUnit(), course);
    Page page = new Page(title);
    story.forEach(page::text);
    page.section("Prediction against measurement")
        .table(List.of("", "simulated before", "measured", "difference"), comparison(status))
        .section("Loss, members and where the time went")
        .chart(training(status))
        .section("The run as it was: nodes, work, prices, money")
        .chart(timeline(course, "The run as it was"))
        .section("The run as it was foreseen")
        .chart(timeline(foreseenCourse, "The run as it was foreseen"));
    if (!status.revocations().isEmpty()) {
      page.section("Nodes lost")
          .table(List.of("node", "when", "notice", "training again after", "why"), lost(status));
    }
    AtomicFile.write(file, page::write);
  }

  Chart timeline(Timeline course, String what) {
    Future future = local.future();
    return new TimelineChart(course, future.market(), future.firstTick(), local.scenario(), what);
  }

  /** Prints what was foreseen beside what came of it. */
  void print(RunStatus status, Terminal terminal) {
    Table table = new Table("", "SIMULATED>", "MEASURED>", "DIFFERENCE>");
    comparison(status).forEach(row -> table.row(row.toArray(new String[0])));
    table.print(terminal.out(), terminal.paint(), "");
  }

  /** Returns the rows of predicted beside measured. */
  List<List<String>> comparison(RunStatus status) {
    double seconds = status.marketMs() / 1e3;
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "cost",
            dollars(foreseen.cost()),
            dollars(status.cost()),
            foreseen.finished()
                ? difference(foreseen.cost().dollars(), status.cost().dollars())
                : ""));
    rows.add(
        List.of(
            "time",
            (foreseen.finished() ? "" : "not done within ") + real(foreseen.seconds()),
            real(seconds),
            foreseen.finished() ? difference(foreseen.seconds(), seconds) : ""));
    Emulated emulated = status.emulated();
    rows.add(
        List.of(
            "emulation, not counted above",
            "",
            "%s, %s".formatted(dollars(emulated.cost()), real(emulated.marketMs() / 1e3)),
            ""));
    rows.add(
        List.of(
            "nodes lost",
            Integer.toString(foreseen.revocations()),
            Long.toString(status.lostNodes()),
            ""));
    rows.add(
        List.of(
            "generations",
            Integer.toString(foreseen.generations()),
            Long.toString(status.generation()),
            ""));
    return rows;
  }

  /** Returns a time of the market with the real one. */
  private String real(double marketSeconds) {
    return local.speed() == 1
        ? Durations.print(Durations.ofSeconds(marketSeconds))
        : "%s (%.1f s real)"
            .formatted(
                Durations.print(Durations.ofSeconds(marketSeconds)), marketSeconds / local.speed());
  }

  /** Prints money as a person would: to the cent, and finer where a cent is much. */
  static String dollars(Money money) {
    double usd = money.dollars();
    return usd == 0 || usd >= 0.1 ? Figures.dollars(usd) : String.format(Locale.ROOT, "$%.4f", usd);
  }

  private static String difference(double from, double to) {
    return String.format(Locale.ROOT, "%+.1f %%", 100 * (to / from - 1));
  }

  static List<List<String>> lost(RunStatus status) {
    List<List<String>> rows = new ArrayList<>();
    for (Revoked lost : status.revocations()) {
      rows.add(
          List.of(
              lost.node(),
              Numbers.print((lost.atMs() - status.startedMs()) / 1e3, 3) + " s",
              lost.noticed() ? "yes" : "none",
              lost.recoveredMs() < 0 ? "" : Numbers.print(lost.recoveredMs() / 1e3, 2) + " s",
              lost.reason()));
    }
    return rows;
  }

  Chart training(RunStatus status) {
    List<TrainingChart.Step> steps = new ArrayList<>();
    List<TrainingChart.Members> members = new ArrayList<>();
    for (Logged logged : events) {
      double at = (logged.atMs() - status.startedMs()) / 1e3;
      if (logged.event() instanceof Event.Progress e) {
        steps.add(
            new TrainingChart.Step(
                at,
                e.loss(),
                e.computeSeconds(),
                e.communicationSeconds(),
                e.waitSeconds(),
                e.checkpointSeconds()));
      } else if (logged.event() instanceof Event.Generation e) {
        members.add(new TrainingChart.Members(at, e.members().size()));
      } else if (logged.event() instanceof Event.RunTurned e && e.to() == RunPhase.WAITING) {
        members.add(new TrainingChart.Members(at, 0));
      }
    }
    return new TrainingChart(
        steps,
        members,
        status.revocations().stream()
            .map(lost -> (lost.atMs() - status.startedMs()) / 1e3)
            .toList(),
        (status.atMs() - status.startedMs()) / 1e3,
        "Training");
  }
}
