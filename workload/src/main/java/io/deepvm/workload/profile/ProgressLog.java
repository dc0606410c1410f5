package io.deepvm.workload.profile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects lines with the time at which they appeared, and finds the speed in them. */
public final class ProgressLog {

  /** The share of the readings' time that is left out: compiling, caches, first batches. */
  private static final double WARM_UP = 0.25;

  /** One reading, counted over all epochs. */
  private record Point(double seconds, double count) {}

  /** Readings of one bar or log. */
  private static final class Series {

    private final List<Point> points = new ArrayList<>();
    private final ProgressCount.Unit unit;
    private double before;
    private double newest = -1;

    Series(ProgressCount.Unit unit) {
      this.unit = unit;
    }

    void add(double seconds, double value) {
      if (value == newest) {
        return; // redrawn
      }
      if (value < newest) {
        before += newest; // the next epoch
      }
      newest = value;
      points.add(new Point(seconds, before + value));
    }

    double span() {
      return points.get(points.size() - 1).seconds - points.get(0).seconds;
    }

    /** Returns the speed after the warm-up. */
    SpeedReading speed(String title) {
      Point last = points.get(points.size() - 1);
      double from = points.get(0).seconds + WARM_UP * span();
      Point first =
          points.stream()
              .filter(point -> point.seconds >= from && point.seconds < last.seconds)
              .findFirst()
              .orElse(points.get(0));
      double seconds = last.seconds - first.seconds;
      return new SpeedReading(title, (last.count - first.count) / seconds, unit, seconds);
    }
  }

  private final Map<ProgressFormat, Map<String, Series>> readings = new LinkedHashMap<>();
  private final LogFacts facts = new LogFacts();
  private int lines;

  public ProgressLog() {
    ProgressFormats.all().forEach(format -> readings.put(format, new LinkedHashMap<>()));
  }

  /** Adds a line that appeared at this time. */
  public synchronized void add(double seconds, String line) {
    lines++;
    facts.read(line);
    readings.forEach(
        (format, series) -> {
          ProgressCount count = format.read(line);
          if (count != null) {
            series
                .computeIfAbsent(count.series(), key -> new Series(count.unit()))
                .add(seconds, count.value());
          }
        });
  }

  /** Returns how many lines were read. */
  public synchronized int lines() {
    return lines;
  }

  /** Returns samples of one step, where the log says it. */
  public synchronized @Nullable Double samplesPerStep() {
    return facts.samplesPerStep();
  }

  /** Returns the speed, in samples where the log states them; null if no format has a speed. */
  public synchronized @Nullable SpeedReading speed() {
    for (Map.Entry<ProgressFormat, Map<String, Series>> entry : readings.entrySet()) {
      Series longest = longest(entry.getValue().values());
      if (longest != null && isUsable(longest)) {
        SpeedReading speed = longest.speed(entry.getKey().title());
        return facts.samplesPerEpoch() != null && longest.unit == ProgressCount.Unit.EPOCHS
            ? speed.times(facts.samplesPerEpoch())
            : speed;
      }
    }
    Double stated = facts.samplesPerSecond();
    return stated == null
        ? null
        : new SpeedReading(
            "the Hugging Face Trainer's summary", stated, ProgressCount.Unit.SAMPLES, 0);
  }

  /** Epochs give no speed while the size of the data set is unknown. */
  private boolean isUsable(Series series) {
    return series.unit != ProgressCount.Unit.EPOCHS || facts.samplesPerEpoch() != null;
  }

  private static @Nullable Series longest(Iterable<Series> all) {
    Series longest = null;
    for (Series series : all) {
      if (series.points.size() > 1
          && series.span() > 0
          && (longest == null || series.span() > longest.span())) {
        longest = series;
      }
    }
    return longest;
  }
}
