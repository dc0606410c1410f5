package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.cli.chart.Page;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.Retelling;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.simulator.Timeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The page about a command's run after its end. How fast a command works is not known, so that only
 * the plan's own length can be simulated beside it.
 *
 * @param page the same run as a page of the built-in trainer would show it
 * @param lengthKnown whether the plan or the user states how long the work takes undisturbed
 */
record CommandPage(RunPage page, boolean lengthKnown) {

  private static final int TAIL_CHARS = 200;

  /** Writes the page. */
  void write(Path file) {
    List<Logged> events = page.events();
    RunStatus status = RunStatus.of(events);
    Page written = new Page(page.title());
    page.story().forEach(written::text);
    written.section("Prediction against measurement");
    if (lengthKnown) {
      written
          .text(
              "Simulated is the plan: its own length on the same market. Measured is the command,"
                  + " whose length nothing foretells. They agree if the command does the plan's"
                  + " work in the plan's time.")
          .table(
              List.of("", "the plan, simulated", "the command, measured", "difference"),
              page.comparison(status));
    } else {
      written.text(
          "The plan states no length, and nothing foretells the speed of a command: there is no"
              + " prediction to compare with.");
    }
    written.section("Summary").table(List.of("", ""), summary(status));
    boolean steps = events.stream().anyMatch(logged -> logged.event() instanceof Event.Progress);
    written
        .section(steps ? "Loss, members and where the time went" : "Members")
        .chart(page.training(status))
        .section("The run as it was: nodes, prices, money")
        .chart(page.timeline(course(events), "The run as it was"));
    if (lengthKnown) {
      written
          .section("The plan as it was simulated")
          .chart(page.timeline(page.foreseenCourse(), "The plan as it was simulated"));
    }
    written
        .section("Nodes")
        .table(List.of("node", "pool", "market", "lived", "cost", "end", "why"), nodes(status));
    if (!status.revocations().isEmpty()) {
      written
          .section("Nodes lost")
          .table(
              List.of("node", "when", "notice", "training again after", "why"),
              RunPage.lost(status));
    }
    List<List<String>> failures = failures(events, status);
    if (!failures.isEmpty()) {
      written
          .section("Processes that failed")
          .table(List.of("node", "when", "local rank", "code", "last words"), failures);
    }
    AtomicFile.write(file, written::write);
  }

  private static Timeline course(List<Logged> events) {
    Timeline course = new Timeline();
    Retelling.tell(events, null, course);
    return course;
  }

  private List<List<String>> summary(RunStatus status) {
    long notices =
        page.events().stream()
            .filter(
                logged ->
                    logged.event() instanceof Event.NodeTurned turned
                        && turned.to() == NodeState.NOTICED)
            .count();
    return List.of(
        List.of("end", status.state().name().toLowerCase(Locale.ROOT)),
        List.of("why", status.reason()),
        List.of("cost", RunPage.dollars(status.cost())),
        List.of("generations", Long.toString(status.generation())),
        List.of("notices", Long.toString(notices)),
        List.of("nodes lost", Long.toString(status.lostNodes())),
        List.of("restarts after failures", Integer.toString(status.restarts())));
  }

  private static List<List<String>> nodes(RunStatus status) {
    List<List<String>> rows = new ArrayList<>();
    for (NodeStatus node : status.nodes()) {
      long end = node.endedMs() < 0 ? status.marketMs() : node.endedMs();
      rows.add(
          List.of(
              node.node(),
              node.poolName(),
              node.market().toString(),
              Durations.print(Durations.ofSeconds((end - node.rentedMs()) / 1e3)),
              RunPage.dollars(node.cost()),
              node.state().name().toLowerCase(Locale.ROOT),
              node.reason()));
    }
    return rows;
  }

  private static List<List<String>> failures(List<Logged> events, RunStatus status) {
    List<List<String>> rows = new ArrayList<>();
    for (Logged logged : events) {
      if (logged.event() instanceof Event.Exited exited && exited.code() != 0) {
        Integer local = exited.localRank();
        String tail = exited.tail();
        rows.add(
            List.of(
                exited.node(),
                Numbers.print((logged.atMs() - status.startedMs()) / 1e3, 3) + " s",
                local == null ? "" : local.toString(),
                Integer.toString(exited.code()),
                tail.substring(Math.max(0, tail.length() - TAIL_CHARS))));
      }
    }
    return rows;
  }
}
