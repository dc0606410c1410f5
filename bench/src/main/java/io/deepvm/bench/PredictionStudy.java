package io.deepvm.bench;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.bench.prediction.Cluster;
import io.deepvm.bench.prediction.LocalClusters;
import io.deepvm.bench.prediction.Measured;
import io.deepvm.catalog.Place;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.BuiltInTrainer;
import io.deepvm.workload.averaging.Compression;
import io.deepvm.workload.averaging.Errors;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Link;
import io.deepvm.workload.averaging.LinkKind;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.TrainedModel;
import io.deepvm.workload.fit.RoundFit;
import io.deepvm.workload.fit.TurnFit;
import io.deepvm.workload.parameterserver.ClusterSpeed;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.WorkerGroup;
import io.deepvm.workload.parameterserver.WorkerType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Profiles the built-in trainer on a few local clusters, predicts others by DeepVM's models and
 * then measures them: {@code PredictionStudy averaging | parameter-server | link}. Needs root.
 */
public final class PredictionStudy {

  /** Large enough for steps of seconds, beside which the hiccups of a shared machine are short. */
  private static final int HIDDEN = 1280;

  private static final long PARAMETERS = 3072L * HIDDEN + HIDDEN + 10L * HIDDEN + 10;
  private static final int TENSORS = 4;
  private static final int MICRO_BATCH = 4;
  private static final int MICRO_BATCHES = 24;

  private static final Duration WARM_UP = Duration.ofSeconds(6);
  private static final Duration PROFILE = Duration.ofSeconds(30);
  private static final Duration MEASURE = Duration.ofSeconds(40);

  /** How many processes of which speed there are. */
  private static final Map<Double, Integer> POOL = pool(6, 2, 1);

  /** What is predicted; none of these bandwidths is profiled. */
  private static final List<Cluster> CLUSTERS =
      List.of(
          Cluster.of(100, 1, 1),
          Cluster.of(100, 1, 1, 0.5, 0.25),
          Cluster.of(200, 1, 1, 1),
          Cluster.of(200, 1, 1, 1, 1, 0.5),
          Cluster.of(500, 1, 1),
          Cluster.of(500, 1, 1, 0.5, 0.25),
          Cluster.of(500, 1, 1, 1, 1, 1, 1),
          Cluster.of(1000, 1, 1, 1, 0.5, 0.5),
          Cluster.of(1000, 1, 0.25),
          Cluster.of(1000, 1, 1, 1, 1),
          Cluster.of(2000, 1, 1, 0.5),
          Cluster.of(2000, 1, 1, 1, 1, 0.5, 0.5));

  private PredictionStudy() {}

  private static Map<Double, Integer> pool(int fast, int half, int quarter) {
    Map<Double, Integer> pool = new LinkedHashMap<>();
    pool.put(1.0, fast);
    pool.put(0.5, half);
    pool.put(0.25, quarter);
    return pool;
  }

  /** Samples per second and granularity of a cluster. */
  private record Predicted(double samplesPerSecond, double granularity) {}

  private interface Model {
    Predicted of(Cluster cluster);
  }

  /** Runs one part. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("deepvm-prediction");
    try {
      String part = args.length == 1 ? args[0] : "";
      switch (part) {
        case "averaging" -> study(folder, part, 0, 0.25);
        case "parameter-server" -> study(folder, part, 1, 0.5);
        case "link" -> link(folder);
        default -> {
          System.err.println("Which part? Maybe averaging, parameter-server or link.");
          System.exit(2);
        }
      }
    } finally {
      delete(folder);
    }
  }

  private static Path job(Path folder, String strategy, int hidden) throws IOException {
    return Files.writeString(
        folder.resolve("job.yaml"),
        """
        name: prediction
        strategy: %s
        model: {kind: mlp, hidden: [%d]}
        data: {kind: generated-images, samples: 50000}
        batch: {micro: %d, target: %d}
        work: {steps: 1000000000}
        optimizer: {kind: sgd, rate: 0.0001, momentum: 0.9}
        seed: 1
        """
            .formatted(strategy, hidden, MICRO_BATCH, MICRO_BATCH * MICRO_BATCHES));
  }

  private static void study(Path folder, String strategy, int servers, double nominal)
      throws IOException, InterruptedException {
    Path job = job(folder, strategy, HIDDEN);
    try (LocalClusters clusters = new LocalClusters(job, servers, POOL, nominal)) {
      List<Double> everyone = new ArrayList<>();
      POOL.forEach((speed, count) -> everyone.addAll(Collections.nCopies(count, speed)));
      // The JIT compilers of all processes shall have done their work.
      clusters.measure(new Cluster(1000, everyone), MICRO_BATCH, MEASURE, PROFILE);
      Model model =
          servers == 0 ? profileAveraging(clusters, nominal) : profileServers(clusters, nominal);
      List<Predicted> predictions = CLUSTERS.stream().map(model::of).toList();
      System.out.println(
          "| speeds | Mbit/s | predicted samples/s | measured | error | granularity | measured |"
              + " error | CPU | stolen |");
      System.out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
      List<Double> speeds = new ArrayList<>();
      List<Double> grains = new ArrayList<>();
      for (int i = 0; i < CLUSTERS.size(); i++) {
        Cluster cluster = CLUSTERS.get(i);
        Predicted predicted = predictions.get(i);
        Measured measured = clusters.measure(cluster, MICRO_BATCH, WARM_UP, MEASURE);
        double speed = predicted.samplesPerSecond / measured.samplesPerSecond() - 1;
        double grain = predicted.granularity / measured.granularity() - 1;
        speeds.add(speed);
        grains.add(grain);
        print(
            "| %s | %d | %.2f | %.2f | %+.1f %% | %.2f | %.2f | %+.1f %% | %.0f %% | %.1f %% |",
            cluster,
            cluster.megabits(),
            predicted.samplesPerSecond,
            measured.samplesPerSecond(),
            100 * speed,
            predicted.granularity,
            measured.granularity(),
            100 * grain,
            100 * measured.cpuShare(),
            100 * measured.stolenShare());
      }
      print(
          "%s, %d clusters: samples/s %s; granularity %s",
          strategy, CLUSTERS.size(), errors(speeds), errors(grains));
    }
  }

  private static String errors(List<Double> all) {
    Errors errors = Errors.of(all);
    return String.format(
        Locale.ROOT,
        "median error %.1f %%, worst %.1f %%",
        100 * errors.median(),
        100 * errors.worst());
  }

  private static Measured profile(LocalClusters clusters, int megabits, double... speeds)
      throws IOException, InterruptedException {
    Cluster cluster = Cluster.of(megabits, speeds);
    Measured measured = clusters.measure(cluster, MICRO_BATCH, WARM_UP, PROFILE);
    print(
        "Profile %s at %d Mbit/s: %.2f samples/s, computing %.4f s, communicating %.4f s, CPU"
            + " %.0f %%, stolen %.1f %%",
        cluster,
        megabits,
        measured.samplesPerSecond(),
        measured.computeSeconds(),
        measured.communicationSeconds(),
        100 * measured.cpuShare(),
        100 * measured.stolenShare());
    return measured;
  }

  private static Model profileAveraging(LocalClusters clusters, double nominal)
      throws IOException, InterruptedException {
    List<RoundFit.Point> rounds = new ArrayList<>();
    double beyond = 0;
    double[][] speeds = {{1, 1}, {1, 1, 1, 1}};
    for (int megabits : List.of(300, 1500)) {
      for (double[] each : speeds) {
        Measured measured = profile(clusters, megabits, each);
        double n = each.length;
        double ideal = 2 * (n - 1) / n * PARAMETERS * Float.SIZE / (megabits * 1e6);
        rounds.add(new RoundFit.Point(each.length, ideal, measured.communicationSeconds()));
        beyond += (measured.computeSeconds() * n / MICRO_BATCHES - nominal) / 4;
      }
    }
    RoundFit fit = RoundFit.of(rounds);
    BuiltInTrainer trainer =
        new BuiltInTrainer(MICRO_BATCH, fit.stepSeconds(), fit.peerSeconds(), fit.wire());
    double overhead = beyond;
    print("Fitted: %s, %.2f ms more for a micro-batch", trainer, 1e3 * overhead);
    return cluster -> {
      Forecast forecast =
          new AveragingModel(
                  new TrainedModel("mlp", PARAMETERS, TENSORS),
                  (from, to) ->
                      new Link(
                          LinkKind.LOCAL, Bandwidth.ofMbps(cluster.megabits()), Money.ZERO, ""),
                  Protocol.builtIn(Compression.FP32, trainer))
              .forecast(
                  cluster.speeds().stream()
                      .map(speed -> peer(cluster, MICRO_BATCH / (nominal / speed + overhead)))
                      .toList(),
                  MICRO_BATCH * MICRO_BATCHES);
      return new Predicted(forecast.samplesPerSecond(), forecast.granularity());
    };
  }

  private static PeerGroup peer(Cluster cluster, double samplesPerSecond) {
    return new PeerGroup(
        new Peer(
            "worker",
            new Place("local", "here", null),
            samplesPerSecond,
            HostClass.SMALL,
            Money.ZERO,
            Bandwidth.ofMbps(cluster.megabits())),
        1);
  }

  private static Model profileServers(LocalClusters clusters, double nominal)
      throws IOException, InterruptedException {
    List<TurnFit.Point> alone = new ArrayList<>();
    List<TurnFit.Point> full = new ArrayList<>();
    double beyond = 0;
    for (int megabits : List.of(300, 1500)) {
      double ideal = PARAMETERS * Float.SIZE / (megabits * 1e6);
      Measured one = profile(clusters, megabits, 1);
      alone.add(new TurnFit.Point(ideal, one.communicationSeconds()));
      beyond += (one.computeSeconds() - nominal) / 2;
    }
    for (int megabits : List.of(300, 800)) {
      double ideal = PARAMETERS * Float.SIZE / (megabits * 1e6);
      Measured six = profile(clusters, megabits, 1, 1, 1, 1, 1, 1);
      full.add(new TurnFit.Point(ideal, MICRO_BATCH / six.samplesPerSecond()));
    }
    TurnFit fit = TurnFit.of(alone, full);
    double overhead = beyond;
    print("Fitted: %s, %.2f ms more for a micro-batch", fit.turns(), 1e3 * overhead);
    return cluster -> {
      Bandwidth link = Bandwidth.ofMbps(cluster.megabits());
      ParameterServerProfile profile =
          new ParameterServerProfile(
              new DataSize(PARAMETERS * Float.BYTES),
              link,
              Bandwidth.ofMbps(1e6),
              Contention.of(0, 0),
              new LossCurve(0, 0, 1, 0, null),
              Map.of(),
              fit.turns());
      ClusterSpeed speed =
          new ParameterServerModel(profile, link)
              .played(
                  cluster.speeds().stream()
                      .map(
                          each ->
                              new WorkerGroup(
                                  new WorkerType(
                                      "worker",
                                      1,
                                      MICRO_BATCH,
                                      nominal / each + overhead,
                                      link,
                                      profile.pcie()),
                                  1))
                      .toList());
      return new Predicted(speed.samplesPerSecond(), granularity(speed));
    };
  }

  /** Of the mean iteration: computing against the rest. */
  private static double granularity(ClusterSpeed speed) {
    double compute = 0;
    double communicate = 0;
    for (ClusterSpeed.GroupSpeed group : speed.groups()) {
      double iterations = group.count() / group.iterationSeconds();
      compute += iterations * group.type().computeSeconds();
      communicate += iterations * group.communicationSeconds();
    }
    return compute / communicate;
  }

  /** One worker that hardly computes, and one server: how much of the link push and pull use. */
  private static void link(Path folder) throws IOException, InterruptedException {
    int hidden = 2100;
    double bytes = (3072.0 * hidden + hidden + 10 * hidden + 10) * Float.BYTES;
    Path job = job(folder, "parameter-server", hidden);
    try (LocalClusters clusters = new LocalClusters(job, 1, Map.of(1.0, 1), 0.001)) {
      clusters.measure(Cluster.of(1000, 1), MICRO_BATCH, MEASURE, PROFILE);
      for (int megabits : List.of(100, 500, 1000)) {
        Measured measured =
            clusters.measure(Cluster.of(megabits, 1), MICRO_BATCH, WARM_UP, Duration.ofSeconds(30));
        double rate = 2 * bytes * 8 / measured.communicationSeconds();
        print(
            "push and pull of %.1f MB each at %d Mbit/s: %.3f s, %.0f %% of the link, CPU %.0f %%",
            bytes / 1e6,
            megabits,
            measured.communicationSeconds(),
            100 * rate / (megabits * 1e6),
            100 * measured.cpuShare());
      }
    }
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
