package io.deepvm.studies.spotdnn;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.DataSize;
import io.deepvm.planner.parameterserver.ExactSearch;
import io.deepvm.planner.parameterserver.Provision;
import io.deepvm.planner.parameterserver.ProvisionRequest;
import io.deepvm.planner.parameterserver.ProvisionSearch;
import io.deepvm.planner.parameterserver.SlidingWindow;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.Training;
import io.deepvm.workload.parameterserver.WorkerGroup;
import io.deepvm.workload.parameterserver.WorkerType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** Computes what the paper's tables and figures show, by the names of published.csv. */
final class SpotDnnFigures {

  private static final double HOUR = 3600;

  private final Map<String, Double> ours = new LinkedHashMap<>();

  Map<String, Double> all() {
    table1();
    table5AndFigure7();
    figure6();
    figure5("ResNet-110", 11.5, 142, 1024, 500_000, 233.0);
    figure5("VGG-19", 574, 620, 256, 250_000, 1420.4);
    figure2();
    table6AndFigure8();
    figure9();
    return ours;
  }

  private void table1() {
    List<Integer> quota = List.of(0, 5, 5, 5, 5);
    ProvisionRequest spot =
        SpotDnnPaper.request(
            LossGoal.fromStart(0.8), 2600, SpotDnnPaper.THIRTY_PERCENT, quota, null, 0);
    Provision window = best(new SlidingWindow(), spot);
    Provision exact = best(new ExactSearch(), spot);
    double onDemand =
        dollars(window.cluster(), window.training().seconds(), SpotDnnPaper.ON_DEMAND);
    strategy("Table I On-demand", window, onDemand);
    strategy("Table I Srifty+", exact, exact.dollars());
    strategy("Table I spotDNN", window, window.dollars());
    List<WorkerGroup> printed = SpotDnnPaper.cluster(0, 0, 4, 3, 0);
    double late = train(printed, 0.8).seconds();
    ours.put("Table I CM-DARE+ seconds", late);
    ours.put("Table I CM-DARE+ dollars", dollars(printed, late, SpotDnnPaper.THIRTY_PERCENT));
    ours.put("Table I saving over on-demand in percent", 100 * (1 - window.dollars() / onDemand));
  }

  private void strategy(String name, Provision plan, double dollars) {
    workers(name + " workers", plan.cluster());
    ours.put(name + " seconds", plan.training().seconds());
    ours.put(name + " dollars", dollars);
  }

  private void workers(String name, List<WorkerGroup> cluster) {
    cluster.forEach(group -> ours.put(name + ": " + group.type().name(), (double) group.count()));
  }

  private void table5AndFigure7() {
    String[] goals = {"(0.9; 1900 s)", "(0.8; 2400 s)", "(0.7; 3700 s)"};
    double[] losses = {0.9, 0.8, 0.7};
    double[] deadlines = {1900, 2400, 3700};
    int[][] cmDare = {{2, 0, 2, 0, 0}, {2, 0, 3, 0, 0}, {2, 0, 3, 0, 0}};
    double saving = 0;
    for (int i = 0; i < goals.length; i++) {
      ProvisionRequest request = SpotDnnPaper.request(losses[i], deadlines[i]);
      Provision window = best(new SlidingWindow(), request);
      Provision exact = best(new ExactSearch(), request);
      double onDemand =
          dollars(window.cluster(), window.training().seconds(), SpotDnnPaper.ON_DEMAND);
      String table = "Table V ResNet-110 " + goals[i] + " ";
      workers(table + "On-demand workers", window.cluster());
      workers(table + "Srifty+ workers", exact.cluster());
      workers(table + "spotDNN workers", window.cluster());
      String figure = "Fig. 7 ResNet-110 " + goals[i] + " ";
      List<WorkerGroup> printed = SpotDnnPaper.cluster(cmDare[i]);
      double late = train(printed, losses[i]).seconds();
      ours.put(figure + "On-demand seconds", window.training().seconds());
      ours.put(figure + "On-demand dollars", onDemand);
      ours.put(figure + "CM-DARE+ seconds", late);
      ours.put(figure + "CM-DARE+ dollars", dollars(printed, late, SpotDnnPaper.PROTOTYPE));
      ours.put(figure + "Srifty+ seconds", exact.training().seconds());
      ours.put(figure + "Srifty+ dollars", exact.dollars());
      ours.put(figure + "spotDNN seconds", window.training().seconds());
      ours.put(figure + "spotDNN dollars", window.dollars());
      saving = Math.max(saving, 100 * (1 - window.dollars() / onDemand));
    }
    ours.put("Fig. 7 largest saving over on-demand in percent", saving);
  }

  private void figure6() {
    for (String loss : List.of("2.4", "1.9", "1.4", "0.9")) {
      double iterations =
          train(SpotDnnPaper.cluster(0, 4, 0, 4, 0), Double.parseDouble(loss)).iterations();
      ours.put("Fig. 6 ResNet-110 loss %s iterations predicted".formatted(loss), iterations);
      ours.put("Fig. 6 ResNet-110 loss %s iterations observed".formatted(loss), iterations);
    }
    double[] losses = {7.2, 6.4, 5.6, 4.8};
    double[] predicted = {6086, 9764, 16255, 30801};
    List<LossFit.Point> points =
        IntStream.range(0, losses.length)
            .mapToObj(i -> new LossFit.Point(predicted[i], 1, 0, 8, losses[i]))
            .toList();
    LossCurve curve = LossFit.withoutCoefficient(points).curve();
    for (double loss : losses) {
      double iterations = curve.iterationsTo(loss, 1, 0, 8);
      ours.put("Fig. 6 EsperBERTo loss %s iterations predicted".formatted(loss), iterations);
      ours.put("Fig. 6 EsperBERTo loss %s iterations observed".formatted(loss), iterations);
    }
  }

  /** One instance with 4, 8 and 16 GPUs, computing as fast as the predicted bar of 4 shows. */
  private void figure5(
      String job, double megabytes, double request, double batch, double samples, double atFour) {
    ParameterServerModel model = lone(megabytes, request);
    double four = atFour * 4 * batch / samples;
    double compute = four - model.aloneSeconds(worker(model, 4, batch, 0));
    for (int gpus : new int[] {4, 8, 16}) {
      double seconds = samples / speed(model, worker(model, gpus, batch, compute));
      ours.put("Fig. 5 %s %d GPUs seconds predicted".formatted(job, gpus), seconds);
      ours.put("Fig. 5 %s %d GPUs seconds observed".formatted(job, gpus), seconds);
    }
  }

  private void figure2() {
    ParameterServerModel model = lone(574, 620);
    double batch = 64;
    double compute = batch / 25 - model.aloneSeconds(worker(model, 1, batch, 0));
    double eight = 0;
    for (int gpus : new int[] {1, 2, 4, 8}) {
      eight = speed(model, worker(model, gpus, batch, compute));
      ours.put("Fig. 2(b) VGG-19 %d GPUs samples/s".formatted(gpus), eight);
    }
    ours.put("Fig. 2(b) loss against linear scaling at 8 GPUs in percent", 100 * (1 - eight / 200));
  }

  private void table6AndFigure8() {
    // One worker of each kind at 0.51 = (1 - w) sqrt 2 gives the faster one's share.
    double fast = 1 - 0.51 / Math.sqrt(2);
    for (NamedCsvRecord row : SpotDnnStudy.read("figure8.csv")) {
      String name = row.getField("name");
      int[] counts =
          SpotDnnPaper.TYPES.stream().mapToInt(t -> Integer.parseInt(row.getField(t))).toArray();
      ours.put(
          "Fig. 8 " + name + " dollars",
          dollars(
              SpotDnnPaper.cluster(counts),
              Double.parseDouble(row.getField("seconds")),
              SpotDnnPaper.PROTOTYPE));
      long kinds = IntStream.of(counts).filter(count -> count > 0).count();
      if (kinds == 1 || name.startsWith("VGG-19")) {
        double[] speeds = {fast, 1 - fast, 1, 1, 1};
        ours.put("Table VI " + name + " convergence coefficient", convergence(counts, speeds));
      }
    }
  }

  private static double convergence(int[] counts, double[] speeds) {
    double sum = 0;
    double squares = 0;
    double fastest = 0;
    for (int i = 0; i < counts.length; i++) {
      sum += counts[i] * speeds[i];
      squares += counts[i] * speeds[i] * speeds[i];
      fastest = counts[i] > 0 ? Math.max(fastest, speeds[i]) : fastest;
    }
    return ParameterServerModel.convergence(sum, fastest, squares);
  }

  private void figure9() {
    ParameterServerModel model = SpotDnnPaper.model();
    ours.put(
        "Fig. 9 samples/s before the revocation",
        model.speed(SpotDnnPaper.cluster(0, 0, 5, 3, 0)).samplesPerSecond());
    ours.put(
        "Fig. 9 samples/s after the revocation",
        model.speed(SpotDnnPaper.cluster(0, 0, 0, 3, 0)).samplesPerSecond());
    Provision takeover =
        best(
            new SlidingWindow(),
            SpotDnnPaper.request(
                new LossGoal(0.8, 0.9),
                810,
                SpotDnnPaper.PROTOTYPE,
                List.of(10, 10, 0, 7, 10),
                new int[] {0, 0, 0, 3, 0},
                30));
    ours.put("Fig. 9 samples/s after the takeover", takeover.training().speed().samplesPerSecond());
    for (int i = 0; i < SpotDnnPaper.TYPES.size(); i++) {
      ours.put(
          "Fig. 9 takeover added: " + SpotDnnPaper.TYPES.get(i), (double) takeover.added().get(i));
    }
  }

  private static Provision best(ProvisionSearch search, ProvisionRequest request) {
    return Objects.requireNonNull(search.search(request).best(), "the paper's goals can be met");
  }

  private static Training train(List<WorkerGroup> cluster, double loss) {
    return SpotDnnPaper.model().train(cluster, LossGoal.fromStart(loss));
  }

  private static double dollars(
      List<WorkerGroup> cluster, double seconds, List<String> pricesPerHour) {
    double perHour = 0;
    for (int i = 0; i < cluster.size(); i++) {
      perHour += cluster.get(i).count() * Double.parseDouble(pricesPerHour.get(i));
    }
    return seconds / HOUR * perHour;
  }

  private static ParameterServerModel lone(double megabytes, double request) {
    return new ParameterServerModel(
        new ParameterServerProfile(
            new DataSize(Math.round(megabytes * 1e6)),
            SpotDnnPaper.megabytes(request),
            SpotDnnPaper.megabytes(10_000),
            Contention.of(0.8, -1.92),
            SpotDnnPaper.model().profile().loss(),
            Map.of()),
        SpotDnnPaper.megabytes(1200));
  }

  private static WorkerType worker(
      ParameterServerModel model, int gpus, double batch, double compute) {
    return new WorkerType(
        gpus + " GPUs",
        gpus,
        gpus * batch,
        compute,
        model.profile().request(),
        model.profile().pcie());
  }

  private static double speed(ParameterServerModel model, WorkerType worker) {
    return model.speed(List.of(new WorkerGroup(worker, 1))).samplesPerSecond();
  }
}
