package io.deepvm.workload.speed;

import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.catalog.speed.SpeedSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one source measured of one model on one device: step times by sample size and batch. */
final class Series {

  /** The share of a step that does not grow with the batch, where one batch was measured. */
  private static final double FIXED_SHARE = 0.15;

  /** The elasticity of the step time by the batch, where one batch was measured. */
  private static final double NEIGHBOUR = 2.01;

  /** Stands for a batch that a source does not state. */
  private static final int USUAL_BATCH = 32;

  private record Key(String model, Device device, int gpus, SpeedSource source) {}

  private final String model;
  private final Device device;
  private final int gpus;
  private final SpeedSource source;
  private final List<MeasuredSpeed> rows = new ArrayList<>();
  private final Map<@Nullable Integer, TreeMap<Integer, MeasuredSpeed>> bySize = new HashMap<>();

  private Series(Key key) {
    model = key.model;
    device = key.device;
    gpus = key.gpus;
    source = key.source;
  }

  /** Returns the series of all rows; rows of devices with unknown facts are left out. */
  static List<Series> of(List<MeasuredSpeed> rows) {
    Map<Key, Series> series = new LinkedHashMap<>();
    for (MeasuredSpeed row : rows) {
      Device device = Device.of(row.gpu(), row.precision());
      if (device != null) {
        Key key = new Key(ModelNames.spelling(row.model()), device, row.gpus(), row.source());
        Series own = series.computeIfAbsent(key, Series::new);
        own.rows.add(row);
        own.bySize.computeIfAbsent(row.sampleSize(), size -> new TreeMap<>()).put(batch(row), row);
      }
    }
    return List.copyOf(series.values());
  }

  String model() {
    return model;
  }

  Device device() {
    return device;
  }

  int gpus() {
    return gpus;
  }

  SpeedSource source() {
    return source;
  }

  List<MeasuredSpeed> rows() {
    return rows;
  }

  /** Returns the measured size nearest to the wanted one. */
  @Nullable Integer nearestSize(int wanted) {
    return bySize.keySet().stream()
        .filter(size -> size != null)
        .min(
            Comparator.comparingDouble((Integer size) -> Math.abs(Math.log(size / (double) wanted)))
                .thenComparing(Comparator.naturalOrder()))
        .orElse(null);
  }

  /** Returns the largest batch measured at a size. */
  int largestBatch(@Nullable Integer size) {
    return curve(size).lastKey();
  }

  /** Returns the row at a size whose batch is nearest. */
  MeasuredSpeed nearest(@Nullable Integer size, int batch) {
    return curve(size).values().stream()
        .min(Comparator.comparingDouble(row -> Math.abs(Math.log(batch(row) / (double) batch))))
        .orElseThrow();
  }

  /** Returns the same, or null where the size was not measured. */
  @Nullable MeasuredSpeed nearestOrNull(@Nullable Integer size, int batch) {
    return bySize.containsKey(size) ? nearest(size, batch) : null;
  }

  /** Returns how many batches were measured at a size. */
  int batches(@Nullable Integer size) {
    return curve(size).size();
  }

  static int batch(MeasuredSpeed row) {
    return row.batch() == null ? USUAL_BATCH : row.batch();
  }

  private static double milliseconds(MeasuredSpeed row) {
    return 1e3 * batch(row) / row.perGpu();
  }

  private static double at(NavigableMap<Integer, MeasuredSpeed> curve, int batch) {
    return milliseconds(Objects.requireNonNull(curve.get(batch)));
  }

  private NavigableMap<Integer, MeasuredSpeed> curve(@Nullable Integer size) {
    NavigableMap<Integer, MeasuredSpeed> curve = bySize.get(size);
    if (curve == null) {
      throw new IllegalArgumentException("size " + size + " was not measured");
    }
    return curve;
  }

  /**
   * Returns the milliseconds of a step. Between two batches the step time is a straight line;
   * beyond them it goes on as a line that neither falls nor outgrows the batch.
   */
  double step(@Nullable Integer size, int batch) {
    NavigableMap<Integer, MeasuredSpeed> curve = curve(size);
    MeasuredSpeed exact = curve.get(batch);
    if (exact != null) {
      return milliseconds(exact);
    }
    Integer low = curve.floorKey(batch);
    Integer high = curve.ceilingKey(batch);
    if (curve.size() == 1) {
      MeasuredSpeed only = curve.firstEntry().getValue();
      return milliseconds(only) * (FIXED_SHARE + (1 - FIXED_SHARE) * batch / batch(only));
    }
    if (low == null) {
      low = curve.firstKey();
      high = curve.higherKey(low);
    } else if (high == null) {
      high = curve.lastKey();
      low = curve.lowerKey(high);
    }
    double atLow = at(curve, low);
    double atHigh = at(curve, high);
    double slope = Math.max(0, (atHigh - atLow) / (high - low));
    double near = batch < low ? atLow : atHigh;
    int nearBatch = batch < low ? low : high;
    slope = Math.min(slope, near / nearBatch);
    return near + slope * (batch - nearBatch);
  }

  /**
   * Returns what the ratio between devices depends on, at a size and batch.
   *
   * @param facts of the model, as far as known
   */
  double[] features(@Nullable Integer size, int batch, ModelFacts facts) {
    NavigableMap<Integer, MeasuredSpeed> curve = curve(size);
    double step = step(size, batch);
    double[] features = Features.unknown();
    features[Features.SAMPLE] = Math.log(step / batch);
    features[Features.BATCH] = Math.log(batch);
    features[Features.GPUS] = Math.log(gpus);
    features[Features.PER_TENSOR] = Math.log(step / (Features.FIXED_TENSORS + facts.tensors()));
    features[Features.PER_PARAMETER] = Math.log(step / facts.parameters());
    boolean sequence = size != null && size > Features.LARGEST_IMAGE;
    features[Features.SEQUENCE] = sequence ? 1 : 0;
    if (size != null && !sequence) {
      features[Features.SIZE] = Math.log(size);
    }
    if (curve.size() > 1) {
      Integer low = curve.ceilingKey((int) Math.ceil(batch / NEIGHBOUR));
      Integer high = curve.floorKey((int) (batch * NEIGHBOUR));
      if (low != null && high != null && low < high) {
        features[Features.ELASTICITY] =
            Math.log(at(curve, high) / at(curve, low)) / Math.log(high / (double) low);
      }
      features[Features.ABOVE_BEST] =
          Math.log(step / batch / (milliseconds(curve.lastEntry().getValue()) / curve.lastKey()));
    }
    if (rows.size() > 1) {
      double least = rows.stream().mapToDouble(Series::milliseconds).min().orElseThrow();
      features[Features.ABOVE_LEAST] = Math.log(step / least);
    }
    return features;
  }
}
