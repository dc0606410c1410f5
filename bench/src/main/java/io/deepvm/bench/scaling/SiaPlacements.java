package io.deepvm.bench.scaling;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Interconnect;
import io.deepvm.workload.parallel.DataParallel;
import io.deepvm.workload.parallel.NodeShape;
import io.deepvm.workload.parallel.Software;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Sia's step times of six models on three pools of GPUs, by how many GPUs on how many nodes. The
 * speed of one GPU is known; what the placements tell is each pool's bus and network, how much
 * exchange hides, what a shared host costs, and the size of two models that is not published.
 */
final class SiaPlacements {

  private static final List<String> POOLS = List.of("aws", "azure", "rtx");

  /** Gradients of 32 bits; 0 where the fit has to find them. */
  private static final Map<String, Double> GRADIENT_BYTES =
      new TreeMap<>(
          Map.of(
              "bert", 440e6,
              "cifar10", 44.7e6,
              "imagenet", 102e6,
              "yolov3", 248e6,
              "deepspeech2", 300e6,
              "ncf", 9e6));

  private static final List<String> UNPUBLISHED = List.of("deepspeech2", "ncf");
  private static final int FOLDS = 5;
  private static final int TRIALS = 1500;
  private static final long SEED = 20261118;

  private record Step(String pool, String model, String placement, double alone, double seconds) {

    int nodes() {
      return placement.length();
    }

    int gpus() {
      return placement.chars().map(digit -> digit - '0').max().orElse(1);
    }
  }

  private final List<Step> steps = new ArrayList<>();

  SiaPlacements(Reference reference) {
    List<NamedCsvRecord> rows =
        reference.speeds("sia").stream()
            .filter(row -> GRADIENT_BYTES.containsKey(row.getField("model")))
            .toList();
    Map<String, NavigableMap<Double, double[]>> alone = new HashMap<>();
    for (NamedCsvRecord row : rows) {
      if (note(row, "placement").equals("1")) {
        double[] sum =
            alone
                .computeIfAbsent(key(row), k -> new TreeMap<>())
                .computeIfAbsent(batch(row), b -> new double[2]);
        sum[0] += Double.parseDouble(note(row, "step"));
        sum[1]++;
      }
    }
    for (NamedCsvRecord row : rows) {
      if (!note(row, "placement").equals("1")) {
        double one = between(Objects.requireNonNull(alone.get(key(row))), batch(row));
        steps.add(
            new Step(
                note(row, "pool"),
                row.getField("model"),
                note(row, "placement"),
                one,
                Double.parseDouble(note(row, "step"))));
      }
    }
  }

  private static String key(NamedCsvRecord row) {
    return note(row, "pool") + " " + row.getField("model");
  }

  private static double batch(NamedCsvRecord row) {
    return Double.parseDouble(row.getField("batch_per_gpu"));
  }

  private static String note(NamedCsvRecord row, String name) {
    for (String part : row.getField("note").split(";", -1)) {
      if (part.startsWith(name + "=")) {
        return part.substring(name.length() + 1);
      }
    }
    return "";
  }

  private static double between(NavigableMap<Double, double[]> alone, double batch) {
    Map.Entry<Double, double[]> below = alone.floorEntry(batch);
    Map.Entry<Double, double[]> above = alone.ceilingEntry(batch);
    if (below == null || above == null) {
      return mean(Objects.requireNonNull(below == null ? above : below));
    }
    double span = above.getKey() - below.getKey();
    double share = span == 0 ? 0 : (batch - below.getKey()) / span;
    return mean(below) + share * (mean(above) - mean(below));
  }

  private static double mean(Map.Entry<Double, double[]> entry) {
    return entry.getValue()[0] / entry.getValue()[1];
  }

  /** Every placement predicted by a fit to four fifths of the placements, without it. */
  ErrorTable placementsLeftOut() {
    List<String> placements =
        new ArrayList<>(
            new TreeSet<>(steps.stream().map(step -> step.pool + " " + step.placement).toList()));
    return leftOut(FOLDS, step -> placements.indexOf(step.pool + " " + step.placement) % FOLDS);
  }

  /** Every model predicted by a fit to the others. */
  ErrorTable modelsLeftOut() {
    List<String> models = List.copyOf(GRADIENT_BYTES.keySet());
    return leftOut(models.size(), step -> models.indexOf(step.model));
  }

  private ErrorTable leftOut(int folds, ToIntFunction<Step> fold) {
    ErrorTable errors = new ErrorTable();
    for (int each = 0; each < folds; each++) {
      int out = each;
      Pools fit = fit(step -> fold.applyAsInt(step) != out);
      steps.stream()
          .filter(step -> fold.applyAsInt(step) == out)
          .forEach(step -> errors.add(step.seconds, fit.predict(step), step.alone));
    }
    return errors;
  }

  /** What the placements tell, as logarithms: three of each pool, two shares, two sizes. */
  private record Pools(double[] logs) {

    double predict(Step step) {
      int pool = 2 * POOLS.indexOf(step.pool);
      int shared = 2 * POOLS.size();
      int unknown = UNPUBLISHED.indexOf(step.model);
      double bytes =
          GRADIENT_BYTES.getOrDefault(step.model, 0.0)
              * (unknown < 0 ? 1 : Math.exp(logs[shared + 2 + unknown]));
      NodeShape node =
          new NodeShape(
              step.gpus(),
              null,
              new Interconnect(Interconnect.Kind.PCIE, Math.exp(logs[pool])),
              new Bandwidth((long) (8 * Math.exp(logs[pool + 1]))));
      Software software =
          new Software(
              Math.min(1, Math.exp(logs[shared])),
              Math.exp(logs[shared + 1]),
              Software.PYTORCH.fixedShare());
      return new DataParallel(node, software, bytes).stepSeconds(step.nodes(), step.alone, 1);
    }

    double misfit(List<Step> known) {
      double sum = 0;
      for (Step step : known) {
        double error = Math.log(predict(step) / step.seconds);
        sum += Math.sqrt(error * error + 1e-4);
      }
      return sum / known.size();
    }
  }

  /** A random search along one coordinate at a time, with the same draws in every fit. */
  private Pools fit(Predicate<Step> known) {
    List<Step> rows = steps.stream().filter(known).toList();
    double[] start = new double[2 * POOLS.size() + 4];
    for (int pool = 0; pool < POOLS.size(); pool++) {
      start[2 * pool] = Math.log(Interconnect.PCIE_3.bytesPerSecond());
      start[2 * pool + 1] = Math.log(1e9);
    }
    start[2 * POOLS.size()] = Math.log(Software.PYTORCH.overlap());
    start[2 * POOLS.size() + 1] = Math.log(Software.PYTORCH.sharedHost());
    Random random = new Random(SEED);
    double[] scale = new double[start.length];
    Arrays.fill(scale, 0.3);
    Pools best = new Pools(start);
    double least = best.misfit(rows);
    for (int trial = 0; trial < TRIALS; trial++) {
      int at = random.nextInt(start.length);
      double[] logs = best.logs.clone();
      logs[at] += scale[at] * random.nextGaussian();
      Pools next = new Pools(logs);
      double misfit = next.misfit(rows);
      if (misfit < least) {
        best = next;
        least = misfit;
        scale[at] *= 1.5;
      } else {
        scale[at] = Math.max(1e-3, 0.93 * scale[at]);
      }
    }
    return best;
  }

  /** What all placements together tell. */
  String found() {
    if (steps.isEmpty()) {
      return "";
    }
    double[] logs = fit(step -> true).logs;
    StringBuilder text = new StringBuilder();
    for (int pool = 0; pool < POOLS.size(); pool++) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s: bus %.1f GB/s, network %.2f GB/s; ",
              POOLS.get(pool),
              Math.exp(logs[2 * pool]) / 1e9,
              Math.exp(logs[2 * pool + 1]) / 1e9));
    }
    return text
        + String.format(
            Locale.ROOT,
            "overlap %.2f, shared host %.2f",
            Math.exp(logs[2 * POOLS.size()]),
            Math.exp(logs[2 * POOLS.size() + 1]));
  }
}
