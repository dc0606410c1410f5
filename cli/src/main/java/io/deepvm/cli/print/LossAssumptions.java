package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is assumed of losses beyond what was recorded.
 *
 * @param borrowed null where each pool has a trace of its own
 * @param dependence null where nothing is assumed of how nodes depend on each other
 * @param unannounced by cloud
 */
public record LossAssumptions(
    @Nullable BorrowedLosses borrowed,
    @Nullable DependenceEffect dependence,
    Map<String, UnannouncedLosses> unannounced) {

  /** The most runs that show what an assumption does. */
  public static final int EFFECT_RUNS = 100;

  /**
   * What the runs would come to if the nodes of a zone depended on each other fully or not at all.
   *
   * @param rule by which the nodes depend on each other in the runs that are reported
   */
  public record DependenceEffect(String rule, Sample together, Sample independent) {}

  /** Returns the assumptions that do not belong to the headline, a sentence or two each. */
  List<String> lines(boolean deadline) {
    List<String> lines = new ArrayList<>();
    if (dependence != null) {
      lines.add(effect(dependence, deadline));
    }
    lines.add(withoutNotice(unannounced));
    return lines;
  }

  /** Returns what the assumption about nodes of one zone changes. */
  public static String effect(DependenceEffect dependence, boolean deadline) {
    return "Nodes of a zone %s. Always together: %s; each for itself: %s (%d runs each)."
        .formatted(
            dependence.rule(),
            summary(dependence.together(), deadline),
            summary(dependence.independent(), deadline),
            dependence.together().runs());
  }

  /** Returns what is lost without notice, in one sentence, and where that comes from. */
  public static String withoutNotice(Map<String, UnannouncedLosses> byCloud) {
    List<String> shares = new ArrayList<>();
    byCloud.forEach(
        (cloud, losses) ->
            shares.add(
                "%s of revocations on %s".formatted(Numbers.percent(losses.share()), cloud)));
    boolean assumed =
        byCloud.values().stream()
            .anyMatch(losses -> losses.share() == UnannouncedLosses.BEST_EFFORT_FAILS);
    double crashes = byCloud.values().iterator().next().crashesPerNodeHour();
    return "Assumed without notice: %s, and a crash of each worker in %,.0f h on average.%s"
        .formatted(
            String.join(", ", shares),
            1 / crashes,
            assumed
                ? " The 5 % is our assumption: notices are best effort, and no cloud publishes how many fail."
                : "");
  }

  private static String summary(Sample sample, boolean deadline) {
    RunStatistics done = sample.done();
    if (deadline) {
      return Numbers.percent(sample.missed()) + " miss the deadline";
    }
    if (done == null) {
      return "none is done";
    }
    return "about %s, %s%s"
        .formatted(
            Durations.print(Durations.ofSeconds(done.seconds().at(0.5))),
            Figures.dollars(done.cost().mean()),
            sample.unfinished() == 0
                ? ""
                : ", not done: " + Numbers.percent(sample.unfinishedShare()));
  }

  void json(Json json) throws IOException {
    if (borrowed != null) {
      borrowed.json(json);
    }
    if (dependence != null) {
      json.object(
          "dependence",
          d -> {
            d.put("rule", dependence.rule());
            d.put("runs", dependence.together().runs());
            d.put("missedTogether", dependence.together().missed());
            d.put("missedIndependent", dependence.independent().missed());
          });
    }
    json.object(
        "withoutNotice",
        w -> {
          for (Map.Entry<String, UnannouncedLosses> cloud : unannounced.entrySet()) {
            w.object(
                cloud.getKey(),
                c -> {
                  c.put("shareOfRevocations", cloud.getValue().share());
                  c.put("crashesPerNodeHour", cloud.getValue().crashesPerNodeHour());
                });
          }
        });
  }
}
