package io.deepvm.bench;

import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.local.LocalOptions;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.trainer.TrainerProcess;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.model.Learner;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.trainer.vector.OptimizerSpec;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/**
 * Whether training through revocations ends with the loss of training left alone: {@code LossStudy
 * FOLDER [SEEDS]}. Each strategy trains with each seed twice undisturbed and once while workers are
 * taken without a word; the loss is that of the last checkpoint over the whole data. The test is
 * exact: of all ways to give the differences between disturbed and undisturbed a sign, the share
 * that has at least as large a mean.
 */
public final class LossStudy {

  private static final int WORKERS = 3;
  private static final double MEAN_LIFE_SECONDS = 12;
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int BATCH = 100;

  /** A way to train. */
  private enum Way {
    AVERAGED_GRADIENTS("averaging", "exchange: {average: gradients}", 48, 400, "momentum: 0.9"),
    AVERAGED_PARAMETERS("averaging", "exchange: {average: parameters}", 48, 400, "momentum: 0"),
    PARAMETER_SERVER("parameter-server", "staleness: -1", 8, 2400, "momentum: 0.9");

    private final String strategy;
    private final String extra;
    private final int target;
    private final int steps;
    private final String momentum;

    Way(String strategy, String extra, int target, int steps, String momentum) {
      this.strategy = strategy;
      this.extra = extra;
      this.target = target;
      this.steps = steps;
      this.momentum = momentum;
    }

    private String job(long seed) {
      return """
          name: loss
          strategy: %s
          model: {kind: mlp, hidden: [32]}
          data: {kind: generated-images, samples: 2000, noise: 3}
          batch: {micro: 8, target: %d}
          work: {steps: %d}
          optimizer: {kind: sgd, rate: 0.0005, %s}
          seed: %d
          %s
          checkpoint: {folder: saved, every: %d}
          """
          .formatted(strategy, target, steps, momentum, seed, extra, steps / 40);
    }
  }

  private final Path folder;
  private int lost;

  private LossStudy(Path folder) {
    this.folder = folder;
  }

  /** Runs it, all strategies side by side: their workers sleep most of the time. */
  public static void main(String[] args) throws Exception {
    int seeds = args.length > 1 ? Integer.parseInt(args[1]) : 8;
    ExecutorService ways = Executors.newFixedThreadPool(Way.values().length);
    List<Future<?>> studies = new ArrayList<>();
    for (Way way : Way.values()) {
      LossStudy study = new LossStudy(Path.of(args[0], way.name()));
      studies.add(
          ways.submit(
              () -> {
                study.study(way, seeds);
                return null;
              }));
    }
    ways.shutdown();
    try {
      for (Future<?> study : studies) {
        study.get();
      }
    } finally {
      ways.shutdownNow();
    }
  }

  private void study(Way way, int seeds) throws IOException, InterruptedException {
    double[] alone = new double[seeds];
    double[] again = new double[seeds];
    double[] disturbed = new double[seeds];
    for (int i = 0; i < seeds; i++) {
      alone[i] = loss(way, i + 1, "alone", false);
      again[i] = loss(way, i + 1, "again", false);
      disturbed[i] = loss(way, i + 1, "disturbed", true);
      System.out.printf(
          Locale.ROOT,
          "%s seed %d: %.5f, again %.5f, disturbed %.5f%n",
          way,
          i + 1,
          alone[i],
          again[i],
          disturbed[i]);
    }
    double[] differences = minus(disturbed, alone);
    System.out.printf(
        Locale.ROOT,
        "%s: %d nodes lost in %d runs; mean loss %.5f alone, %.5f disturbed (%+.2f %%); "
            + "mean distance of two runs left alone %.5f, of disturbed and alone %.5f; p = %.2f%n",
        way,
        lost,
        seeds,
        mean(alone),
        mean(disturbed),
        100 * mean(differences) / mean(alone),
        mean(distances(minus(again, alone))),
        mean(distances(differences)),
        signFlips(differences));
  }

  private static double[] minus(double[] a, double[] b) {
    double[] difference = new double[a.length];
    Arrays.setAll(difference, i -> a[i] - b[i]);
    return difference;
  }

  private static double[] distances(double[] differences) {
    return Arrays.stream(differences).map(Math::abs).toArray();
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  private static double signFlips(double[] differences) {
    double seen = Math.abs(Arrays.stream(differences).sum());
    long ways = 1L << differences.length;
    long asLarge =
        LongStream.range(0, ways)
            .filter(signs -> Math.abs(sum(differences, signs)) >= seen * (1 - 1e-9))
            .count();
    return (double) asLarge / ways;
  }

  private static double sum(double[] differences, long signs) {
    double sum = 0;
    for (int i = 0; i < differences.length; i++) {
      sum += (signs >> i & 1) == 0 ? differences[i] : -differences[i];
    }
    return sum;
  }

  private double loss(Way way, long seed, String name, boolean takeNodes)
      throws IOException, InterruptedException {
    Path place = Files.createDirectories(folder.resolve(name + seed));
    Path file = place.resolve("job.yaml");
    Files.writeString(file, way.job(seed));
    Path checkpoints = Files.createDirectories(place.resolve("checkpoints"));
    Work work =
        new Work(
            TrainerProcess.briefCommand(file),
            Work.Kind.MEMBER,
            Map.of("DEEPVM_MICRO_BATCH_SECONDS", "0.01"),
            checkpoints.toString(),
            100,
            "",
            Work.Timeouts.USUAL);
    LocalOptions nodes = new LocalOptions(2 * WORKERS + 2, 0, 0, Map.of("local", 0.5), null);
    Setting setting =
        Setting.steady(
            nodes,
            WORKERS,
            takeNodes
                ? new Revocations.Hazard(3600 / MEAN_LIFE_SECONDS, 0)
                : new Revocations.OfMarket(),
            seed,
            logged -> {});
    RunSpec spec =
        RunSpec.of("loss", work)
            .withMinWorkers(1)
            .withServers(way == Way.PARAMETER_SERVER ? 1 : 0, 0);
    try (Run run = Run.start(place.resolve("run"), spec, setting)) {
      RunStatus end = run.await(LONGEST);
      if (end.state() != RunPhase.FINISHED) {
        throw new IllegalStateException("%s ended as %s".formatted(place, end.state()));
      }
      lost += takeNodes ? end.revocations().size() : 0;
    }
    return evaluate(TrainingJob.read(file), way, checkpoints);
  }

  /**
   * Returns the mean loss of the newest checkpoint over all samples; one at a time, since the
   * engine collects gradients for one thread only.
   */
  private static synchronized double evaluate(TrainingJob job, Way way, Path checkpoints)
      throws IOException {
    try (Learner learner = new Learner(job.model(), job.data().open(job.seed()), job.seed())) {
      OptimizerSpec optimizer =
          way == Way.AVERAGED_PARAMETERS
              ? new OptimizerSpec(OptimizerSpec.Kind.SGD, 1, 0, 0.999)
              : job.optimizer();
      ModelState state = new ModelState(learner.tensors(), learner.size(), optimizer);
      var restored =
          new Checkpoints(List.of(new DirectoryTier("folder", Level.DURABLE, checkpoints)), 1)
              .restore(job.name(), manifest -> state.slices());
      if (restored == null) {
        throw new IllegalStateException("There is no checkpoint in " + checkpoints);
      }
      FloatBuffer unused = Floats.allocate(learner.size()).asFloatBuffer();
      List<Double> losses = new ArrayList<>();
      for (long first = 0; first + BATCH <= learner.samples(); first += BATCH) {
        losses.add(learner.gradient(LongStream.range(first, first + BATCH).toArray(), unused));
      }
      return losses.stream().mapToDouble(Double::doubleValue).sum() / learner.samples();
    }
  }
}
