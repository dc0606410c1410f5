package io.deepvm.workload.speed;

import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.MeasuredSpeeds;
import io.deepvm.catalog.speed.ModelNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Answers from measurements: of the same model and GPU; else of the same model on other GPUs, by
 * the ratio of the GPUs; else of the model nearest in FLOP; else by peak FLOPS.
 */
public final class MeasuredSpeedModel implements SpeedModel {

  /** Evidence beyond the best few adds nothing but time. */
  private static final int MOST_RELATIVES = 4;

  /** The share of the peak that training reaches, and its spread as a logarithm. */
  private static final double USUAL_UTILISATION = 0.35;

  private static final double UTILISATION_SPREAD = 0.6;

  /** How far two models of the same FLOP are apart, and how much more for each factor of e. */
  private static final double LIKE_MODEL_SPREAD = 0.35;

  private static final double FLOP_SPREAD = 0.15;

  /** A model this many times as heavy, as a logarithm, is no relative. */
  private static final double NO_RELATIVE = 2.5;

  private static final int MOST_KNOWN = 10_000;

  private final Map<String, List<Series>> byModel = new TreeMap<>();
  private final Map<String, ModelShape> shapes = new TreeMap<>();
  private final Set<String> names = new TreeSet<>();
  private final RatioModel ratios;

  /** What one GPU does, by questions that were asked before: a planner asks again and again. */
  private final Map<SpeedQuestion, Optional<SpeedEstimate>> known = new ConcurrentHashMap<>();

  /**
   * Learns from measurements.
   *
   * @param shapes of the measured models, where known: they let a model that nobody measured find
   *     its like
   */
  public MeasuredSpeedModel(List<MeasuredSpeed> rows, List<ModelShape> shapes) {
    add(rows);
    shapes.forEach(shape -> this.shapes.put(ModelNames.spelling(shape.name()), shape));
    ratios =
        new RatioModel(byModel.values().stream().flatMap(List::stream).toList(), ModelFacts::known);
  }

  private MeasuredSpeedModel(MeasuredSpeedModel learned, List<MeasuredSpeed> more) {
    ratios = learned.ratios;
    shapes.putAll(learned.shapes);
    names.addAll(learned.names);
    learned.byModel.forEach((model, series) -> byModel.put(model, new ArrayList<>(series)));
    add(more);
  }

  private void add(List<MeasuredSpeed> rows) {
    for (Series series : Series.of(rows)) {
      byModel.computeIfAbsent(series.model(), model -> new ArrayList<>()).add(series);
    }
    rows.forEach(row -> names.add(row.model()));
  }

  /** Returns the model of what DeepVM carries. */
  public static MeasuredSpeedModel builtIn() {
    return BuiltIn.MODEL;
  }

  /** Returns a model that knows these measurements, too, with the same ratios between GPUs. */
  public MeasuredSpeedModel with(List<MeasuredSpeed> more) {
    return new MeasuredSpeedModel(this, more);
  }

  /** Returns a model that has forgotten all measurements of one model, with the same ratios. */
  public MeasuredSpeedModel without(String model) {
    MeasuredSpeedModel rest = with(List.of());
    rest.byModel.remove(ModelNames.spelling(model));
    return rest;
  }

  /** Returns the names of the models that were measured, in order. */
  public Set<String> measuredModels() {
    return names;
  }

  @Override
  public @Nullable SpeedEstimate of(
      ModelShape model, Gpu gpu, Precision precision, @Nullable Integer batch) {
    return answer(new SpeedQuestion(model, gpu, 1, precision, batch));
  }

  /** Returns the speed of all GPUs together, or null if it cannot be derived. */
  public @Nullable SpeedEstimate answer(SpeedQuestion question) {
    Optional<SpeedEstimate> one = known.get(question);
    if (one == null) {
      if (known.size() > MOST_KNOWN) {
        known.clear();
      }
      one = Optional.ofNullable(perGpu(question));
      known.put(question, one);
    }
    return one.isEmpty() ? null : one.get().times(question.gpus());
  }

  private @Nullable SpeedEstimate perGpu(SpeedQuestion question) {
    Device device = Device.of(question.gpu(), question.precision());
    if (device == null) {
      return byFlops(question);
    }
    List<Series> own = byModel.get(ModelNames.spelling(question.model().name()));
    if (own != null) {
      return combined(question, device, own);
    }
    SpeedEstimate like = byLikeModel(question, device);
    return like != null ? like : byFlops(question);
  }

  private SpeedEstimate combined(SpeedQuestion question, Device device, List<Series> own) {
    ModelFacts facts = ModelFacts.of(question.model());
    List<Relative> relatives =
        own.stream()
            .map(series -> Relative.start(series, question))
            .sorted(Comparator.comparingDouble(start -> start.outlook(device)))
            .limit(MOST_RELATIVES)
            .map(start -> start.on(device, ratios, question.gpus(), facts))
            .sorted(Comparator.comparingDouble(Relative::variance))
            .toList();
    List<Relative> exact = relatives.stream().filter(Relative::exact).toList();
    return exact.isEmpty()
        ? mean(relatives, SpeedBasis.RELATIVE)
        : mean(exact, SpeedBasis.MEASURED);
  }

  /** Returns the mean of the evidence; what is twice as sure counts four times. */
  private static SpeedEstimate mean(List<Relative> relatives, SpeedBasis basis) {
    double weights = 0;
    double log = 0;
    double variance = 0;
    for (Relative relative : relatives) {
      double weight = 1 / (relative.variance() * relative.variance());
      weights += weight;
      log += weight * relative.log();
      variance += weight * relative.variance();
    }
    return estimate(
        log / weights,
        variance / weights,
        basis,
        relatives.stream().map(Relative::row).distinct().toList());
  }

  private @Nullable SpeedEstimate byLikeModel(SpeedQuestion question, Device device) {
    Double flop = question.model().flopPerSample();
    if (flop == null) {
      return null;
    }
    ModelShape like = null;
    List<Series> measured = List.of();
    double least = NO_RELATIVE;
    for (ModelShape shape : shapes.values()) {
      List<Series> own = byModel.get(ModelNames.spelling(shape.name()));
      if (own != null && shape.flopPerSample() != null) {
        double distance = Math.abs(Math.log(shape.flopPerSample() / flop));
        if (distance < least) {
          like = shape;
          measured = own;
          least = distance;
        }
      }
    }
    if (like == null || like.flopPerSample() == null) {
      return null;
    }
    SpeedQuestion instead =
        new SpeedQuestion(
            like, question.gpu(), question.gpus(), question.precision(), question.batch());
    SpeedEstimate known = combined(instead, device, measured);
    Double peak = question.gpu().flops(question.precision());
    if (peak != null && known.samplesPerSecond() * like.flopPerSample() > peak) {
      return null; // its samples were smaller than its shape says
    }
    double spread = Math.log(known.high() / known.samplesPerSecond()) / SpeedEstimate.EIGHT_OF_TEN;
    double further = LIKE_MODEL_SPREAD + FLOP_SPREAD * least;
    return estimate(
        Math.log(known.samplesPerSecond() * like.flopPerSample() / flop),
        spread * spread + further * further,
        SpeedBasis.RELATIVE,
        known.rows());
  }

  private static @Nullable SpeedEstimate byFlops(SpeedQuestion question) {
    Double flop = question.model().flopPerSample();
    Double peak = question.gpu().flops(question.precision());
    return flop == null || peak == null
        ? null
        : estimate(
            Math.log(USUAL_UTILISATION * peak / flop),
            UTILISATION_SPREAD * UTILISATION_SPREAD,
            SpeedBasis.FLOPS,
            List.of());
  }

  private static SpeedEstimate estimate(
      double log, double variance, SpeedBasis basis, List<MeasuredSpeed> rows) {
    double factor = Math.exp(SpeedEstimate.EIGHT_OF_TEN * Math.sqrt(variance));
    double speed = Math.exp(log);
    return new SpeedEstimate(speed, speed / factor, speed * factor, basis, rows);
  }

  /** Learns from the built-in speeds at the first question. */
  private static final class BuiltIn {
    static final MeasuredSpeedModel MODEL =
        new MeasuredSpeedModel(MeasuredSpeeds.builtIn(), ModelPresets.shapes());
  }
}
