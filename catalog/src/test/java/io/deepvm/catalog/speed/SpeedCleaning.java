package io.deepvm.catalog.speed;

import io.deepvm.catalog.Precision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The rules that look at several rows: one speed a key, and no row that its neighbours deny. */
final class SpeedCleaning {

  private static final double SAME = 1.2;
  private static final double SUPER_LINEAR = 1.05;
  private static final double SLACK = 1.1;
  private static final double PAST_THE_BEST = 1.5;

  private final BiConsumer<SpeedSource, CleaningRule> leaveOut;

  SpeedCleaning(BiConsumer<SpeedSource, CleaningRule> leaveOut) {
    this.leaveOut = leaveOut;
  }

  private record Key(
      String model,
      String gpu,
      int gpus,
      Precision precision,
      @Nullable Integer batch,
      @Nullable Integer sampleSize,
      String source) {

    static Key of(MeasuredSpeed speed) {
      return new Key(
          ModelNames.spelling(speed.model()),
          speed.gpu().name(),
          speed.gpus(),
          speed.precision(),
          speed.batch(),
          speed.sampleSize(),
          speed.source().toString());
    }

    boolean differsInGpusOnly(Key other) {
      return equals(
          new Key(
              other.model,
              other.gpu,
              gpus,
              other.precision,
              other.batch,
              other.sampleSize,
              other.source));
    }

    boolean differsInBatchOnly(Key other) {
      return batch != null
          && other.batch != null
          && equals(
              new Key(
                  other.model,
                  other.gpu,
                  other.gpus,
                  other.precision,
                  batch,
                  other.sampleSize,
                  other.source));
    }
  }

  List<MeasuredSpeed> clean(List<MeasuredSpeed> speeds) {
    Map<Key, MeasuredSpeed> kept = medians(speeds);
    leaveOut(kept, CleaningRule.SUPER_LINEAR, SpeedCleaning::isSuperLinear);
    leaveOut(kept, CleaningRule.BATCH_ORDER, SpeedCleaning::isOutOfOrder);
    return kept.values().stream()
        .sorted(
            Comparator.comparing((MeasuredSpeed speed) -> speed.source().name())
                .thenComparing(MeasuredSpeed::model)
                .thenComparing(speed -> speed.gpu().name())
                .thenComparing(MeasuredSpeed::gpus)
                .thenComparing(MeasuredSpeed::precision)
                .thenComparing(speed -> speed.sampleSize() == null ? 0 : speed.sampleSize())
                .thenComparing(speed -> speed.batch() == null ? 0 : speed.batch()))
        .toList();
  }

  /** Returns the median of each key, or nothing where its rows are of several models. */
  private Map<Key, MeasuredSpeed> medians(List<MeasuredSpeed> speeds) {
    Map<Key, List<MeasuredSpeed>> groups = new LinkedHashMap<>();
    speeds.forEach(s -> groups.computeIfAbsent(Key.of(s), key -> new ArrayList<>()).add(s));
    Map<Key, MeasuredSpeed> medians = new LinkedHashMap<>();
    groups.forEach(
        (key, group) -> {
          group.sort(Comparator.comparingDouble(MeasuredSpeed::samplesPerSecond));
          MeasuredSpeed slowest = group.get(0);
          MeasuredSpeed fastest = group.get(group.size() - 1);
          boolean mlperf = key.source.startsWith("mlperf");
          if (!mlperf && fastest.samplesPerSecond() > SAME * slowest.samplesPerSecond()) {
            group.forEach(s -> leaveOut.accept(s.source(), CleaningRule.SEVERAL_MODELS));
          } else {
            medians.put(key, group.get(group.size() / 2));
          }
        });
    return medians;
  }

  /** Tells whether one row denies another. */
  private interface Denial {
    boolean test(Key key, MeasuredSpeed speed, Key otherKey, MeasuredSpeed other);
  }

  private void leaveOut(Map<Key, MeasuredSpeed> kept, CleaningRule rule, Denial denial) {
    Map<String, List<Map.Entry<Key, MeasuredSpeed>>> bySource = new LinkedHashMap<>();
    for (Map.Entry<Key, MeasuredSpeed> entry : kept.entrySet()) {
      bySource
          .computeIfAbsent(entry.getKey().source + entry.getKey().model, s -> new ArrayList<>())
          .add(Map.entry(entry.getKey(), entry.getValue()));
    }
    for (List<Map.Entry<Key, MeasuredSpeed>> rows : bySource.values()) {
      for (Map.Entry<Key, MeasuredSpeed> row : rows) {
        for (Map.Entry<Key, MeasuredSpeed> other : rows) {
          if (kept.containsKey(row.getKey())
              && denial.test(row.getKey(), row.getValue(), other.getKey(), other.getValue())) {
            kept.remove(row.getKey());
            leaveOut.accept(row.getValue().source(), rule);
          }
        }
      }
    }
  }

  private static boolean isSuperLinear(Key key, MeasuredSpeed speed, Key other, MeasuredSpeed few) {
    return few.gpus() < speed.gpus()
        && key.differsInGpusOnly(other)
        && speed.perGpu() > SUPER_LINEAR * few.perGpu();
  }

  /** A larger batch is not slower by much, and not faster by more than it is larger. */
  private static boolean isOutOfOrder(
      Key key, MeasuredSpeed speed, Key other, MeasuredSpeed large) {
    Integer small = speed.batch();
    if (small == null || large.batch() == null || large.batch() <= small) {
      return false;
    }
    double gain = large.samplesPerSecond() / speed.samplesPerSecond();
    return key.differsInBatchOnly(other)
        && (gain < 1 / PAST_THE_BEST || gain > SLACK * large.batch() / small);
  }
}
