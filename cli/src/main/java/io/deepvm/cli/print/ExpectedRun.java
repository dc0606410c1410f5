package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.market.PriceDrift;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.forecast.LikelyMarkets.Kind;
import io.deepvm.simulator.forecast.RunForecast;
import io.deepvm.simulator.forecast.RunForecast.Part;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a plan takes and costs with everything that paper leaves out, in words and as JSON.
 *
 * @param kind what the losses of spot workers stand on
 * @param record the name of the record; empty where none was needed
 * @param load what each node loads before it trains
 * @param inTime how far the share of runs in time depends on assumptions; null without a deadline
 */
public record ExpectedRun(
    RunForecast forecast,
    Kind kind,
    String record,
    NodeLoad load,
    RunForecast.@Nullable Range inTime) {

  /** A share of unfinished or late runs that is worth a sentence. */
  private static final double WORTH_SAYING = 0.005;

  private static final double SECONDS_A_DAY = 24 * 3600;

  private static final Map<Part, String> NAMES =
      Map.of(
          Part.TRAINING, "training",
          Part.START, "start",
          Part.STALLS, "checkpoint stalls",
          Part.LOST_WORK, "lost work",
          Part.MISSING_WORKERS, "missing workers and restarts");

  /**
   * Returns "About 19 h and $21, 80 % between 16 h and 27 h; on paper 15 h and $17." A second
   * sentence names the losses if they are not of the plan's own pools.
   */
  String sentence(Plan plan) {
    return switch (kind) {
      case BORROWED -> "%s Losses are borrowed from %s.".formatted(figures(plan), record);
      case BAND -> "%s Losses are a stated band, %s.".formatted(figures(plan), record);
      case RECORDED, NO_SPOT -> figures(plan);
    };
  }

  private String figures(Plan plan) {
    RunForecast.Spread time = forecast.seconds();
    if (Double.isInfinite(time.mean())) {
      return "With interruptions it is not done within %s in any case; on paper %s."
          .formatted(rounded(forecast.horizonSeconds()), paper(plan));
    }
    return "About %s and %s, 80 %% between %s and %s; on paper %s."
        .formatted(
            rounded(time.mean()),
            Figures.dollars(forecast.usd().mean()),
            rounded(time.low()),
            rounded(time.high()),
            paper(plan));
  }

  private static String paper(Plan plan) {
    Money cost = Objects.requireNonNull(plan.predicted().cost());
    return "%s and %s"
        .formatted(
            rounded(Objects.requireNonNull(plan.predicted().seconds())),
            Figures.dollars(cost.dollars()));
  }

  /** Returns the expected time for a table, or a dash where no run is done by the horizon. */
  String time() {
    double mean = forecast.seconds().mean();
    return Double.isInfinite(mean) ? "-" : rounded(mean);
  }

  /** Returns the expected cost for a table, or a dash likewise. */
  String cost() {
    double mean = forecast.usd().mean();
    return Double.isInfinite(mean) ? "-" : Figures.dollars(mean);
  }

  /** Returns a time to the minute, or to the second below ten minutes. */
  static String rounded(double seconds) {
    double step = seconds < 600 ? 1 : 60;
    return Durations.print(Durations.ofSeconds(Math.round(seconds / step) * step));
  }

  /** Returns what else there is to know of the time, one sentence each. */
  List<String> reasons(Plan plan, @Nullable Double deadlineSeconds) {
    List<String> reasons = new ArrayList<>();
    List<String> beyond = new ArrayList<>();
    for (Part part : Part.values()) {
      double seconds = forecast.parts().getOrDefault(part, 0.0);
      if (part != Part.TRAINING && seconds >= 1) {
        beyond.add("%s %s".formatted(NAMES.get(part), rounded(seconds)));
      }
    }
    if (!beyond.isEmpty()) {
      reasons.add("Beyond training on paper: %s.".formatted(String.join(", ", beyond)));
    }
    reasons.add("The expected time and cost stand on %s.".formatted(basis()));
    for (String more : Arrays.asList(files(), price(plan))) {
      if (more != null) {
        reasons.add(more);
      }
    }
    double open = 1 - forecast.doneShare();
    if (open > WORTH_SAYING) {
      reasons.add(
          "%s of runs are not done within %s; the expected time and cost are of the others."
              .formatted(Numbers.percent(open), rounded(forecast.horizonSeconds())));
    }
    RunForecast.Range range = inTime;
    if (deadlineSeconds != null && range != null && 1 - range.low() > WORTH_SAYING) {
      reasons.add(
          "With interruptions %s of runs meet the deadline of %s (%s to %s, by %show far nodes are lost together); --confidence plans for it."
              .formatted(
                  Numbers.percent(forecast.inTime()),
                  rounded(deadlineSeconds),
                  Numbers.percent(range.low()),
                  Numbers.percent(range.high()),
                  kind == Kind.BORROWED ? "the zone that losses are borrowed from and " : ""));
    }
    return reasons;
  }

  /** Returns what every node loads first, or null if the job states no files. */
  private @Nullable String files() {
    return load.equals(NodeLoad.NONE)
        ? null
        : String.format(
            Locale.ROOT,
            "Each node loads its files for %s first, pays $%.2f for their traffic, and $%.3f/h for its disk.",
            rounded(load.seconds()),
            load.usd(),
            load.diskUsdPerHour());
  }

  /** Returns the price to expect over the job, where the history of such prices was measured. */
  private @Nullable String price(Plan plan) {
    Offer spot =
        plan.nodes().stream()
            .map(NodeGroup::offer)
            .filter(o -> o.market() == Market.SPOT && PriceDrift.isKnown(o.place().cloud()))
            .findFirst()
            .orElse(null);
    double seconds = forecast.seconds().mean();
    if (spot == null || Double.isInfinite(seconds)) {
      return null;
    }
    double rise = PriceDrift.meanOver(spot.place().cloud(), 0, seconds / SECONDS_A_DAY);
    return "Expected price of a %s over these %s: %s/h, %s above the price at the start."
        .formatted(
            spot.machine().name(),
            rounded(seconds),
            String.format(Locale.ROOT, "$%.4g", spot.pricePerHour().dollars() * rise),
            Numbers.percent(rise - 1));
  }

  private String basis() {
    return switch (kind) {
      case NO_SPOT -> "nodes that no market takes back; each crashes once in 6,335 h";
      case RECORDED -> "the record of these pools (%s)".formatted(record);
      case BAND ->
          "a stated band of interruptions, %s; outages last as in the records".formatted(record);
      case BORROWED ->
          "a prior: no record of these pools is at hand, so they are taken to be like those of %s"
              .formatted(record);
    };
  }

  void json(Json json) throws IOException {
    json.put("seconds", forecast.seconds().mean());
    json.put("secondsLow", forecast.seconds().low());
    json.put("secondsHigh", forecast.seconds().high());
    json.put("usd", forecast.usd().mean());
    json.put("usdLow", forecast.usd().low());
    json.put("usdHigh", forecast.usd().high());
    json.put("doneShare", forecast.doneShare());
    json.put("inTimeShare", forecast.inTime());
    json.put("inTimeShareLow", inTime == null ? null : inTime.low());
    json.put("inTimeShareHigh", inTime == null ? null : inTime.high());
    json.put("horizonSeconds", forecast.horizonSeconds());
    json.put("basis", kind.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    json.put("record", record.isEmpty() ? null : record);
    json.object(
        "meanSecondsOf",
        parts -> {
          for (Part part : Part.values()) {
            parts.put(key(part), forecast.parts().getOrDefault(part, 0.0));
          }
        });
  }

  private static String key(Part part) {
    return switch (part) {
      case TRAINING -> "training";
      case START -> "start";
      case STALLS -> "stalls";
      case LOST_WORK -> "lostWork";
      case MISSING_WORKERS -> "missingWorkers";
    };
  }
}
