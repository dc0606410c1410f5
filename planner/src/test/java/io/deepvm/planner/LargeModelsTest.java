package io.deepvm.planner;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.GpuFilter;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.OfferFilter;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobScaling;
import io.deepvm.workload.JobSpeed;
import io.deepvm.workload.KnownSpeeds;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.Profiles;
import io.deepvm.workload.Scaling;
import io.deepvm.workload.Work;
import io.deepvm.workload.parallel.ClusterModel;
import io.deepvm.workload.parallel.Framework;
import io.deepvm.workload.parallel.Optimizer;
import io.deepvm.workload.parallel.Split;
import io.deepvm.workload.parallel.SplitReport;
import io.deepvm.workload.parallel.TrainingSetup;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Models that one GPU hardly holds, planned on the built-in market. */
final class LargeModelsTest {

  private static final Catalog MARKET = Catalogs.load("snapshot");
  private static final OfferFilter T4 =
      new OfferFilter(List.of(new GpuFilter("T4")), List.of(), Set.of());
  private static final double TOKENS = 2048;

  private static Job language(
      double parameters, int batch, @Nullable Integer globalBatch, @Nullable DataSize memory) {
    double flopPerSample = 6 * parameters * TOKENS;
    TrainingSetup setup =
        new TrainingSetup(Framework.PYTORCH, Optimizer.ADAM, globalBatch, null, null, true);
    return new Job(
        "language",
        Precision.BF16,
        memory,
        null,
        new Work(1e5 * flopPerSample, 0.4, 1e5),
        Scaling.UNMEASURED,
        new Profiles(new ModelSize(parameters, null), batch, null, null, setup, KnownSpeeds.NONE));
  }

  private static Planning plan(Job job, String budget, OfferFilter filter) {
    return new FilteredPlanner(MARKET, job, filter)
        .plan(Goal.within(Money.parse(budget)).withObjective(Objective.THROUGHPUT));
  }

  private static Machine machine(String name) {
    return MARKET.listings().stream()
        .map(listing -> listing.machine())
        .filter(machine -> machine.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aModelOfSeventyBillionParametersHasAPlanAtThreeHundredDollarsAnHour() {
    Plan plan = plan(language(70e9, 1, 256, null), "300", OfferFilter.NONE).plans().get(0);

    assertThat(plan.predicted().samplesPerSecond()).isGreaterThan(10);
    assertThat(plan.why())
        .anyMatch(line -> line.startsWith("Memory: one replica needs") && line.contains("ZeRO"));
  }

  @Test
  void aModelOfSevenBillionParametersIsOnNoCardOfSixteenGibWithoutSharding() {
    Job job = language(6.74e9, 4, null, null);
    for (Plan plan : plan(job, "20", OfferFilter.NONE).plans()) {
      assertPlanFits(job, plan);
    }
    for (Plan plan : plan(job, "20", T4).plans()) {
      assertPlanFits(job, plan);
      ClusterModel model = model(job, worker(plan));
      Split split = Objects.requireNonNull(model.best(PartialClusters.trainingNodes(plan)));
      assertThat(split.sharding().stage() > 0 || split.pipeline() > 1).isTrue();
    }
  }

  private static ClusterModel model(Job job, Machine machine) {
    return Objects.requireNonNull(
        JobScaling.model(job, machine, JobSpeed.of(job, List.of(machine))));
  }

  private static Machine worker(Plan plan) {
    return plan.nodes().get(0).offer().machine();
  }

  private static void assertPlanFits(Job job, Plan plan) {
    ClusterModel model = model(job, worker(plan));
    Split split = Objects.requireNonNull(model.best(PartialClusters.trainingNodes(plan)));
    DataSize memory = Objects.requireNonNull(model.node().memory());
    assertThat(split.memory().fits(memory)).isTrue();
  }

  @Test
  void eightNodesOnASlowNetworkAreBelowOneSampleASecondAndTheReasonsSayWhatHelps() {
    Job job = language(6.74e9, 4, null, DataSize.ofGib(40));
    ClusterModel model = model(job, machine("g6e.xlarge"));

    Split split = Objects.requireNonNull(model.best(8));

    assertThat(split.samplesPerSecond()).isBetween(0.3, 1.0);
    assertThat(SplitReport.of(model, 8))
        .anyMatch(line -> line.startsWith("Batch:") && line.contains("up to an accumulation of"));
  }

  @Test
  void theMemoryIsNamedAsALimitWhereItKeepsABetterPlanOut() {

    Plan plan = plan(language(6.74e9, 4, 16384, null), "0.7", T4).plans().get(0);

    assertThat(plan.why())
        .anyMatch(line -> line.startsWith("Limit: the GPU memory that the model needs;"));
  }

  @Test
  void aClusterThatLostTooManyNodesTrainsNothing() {
    Job job = language(6.74e9, 4, 1024, null);
    Plan plan = plan(job, "2", T4).plans().get(0);

    double[] shares = PartialClusters.of(job, plan).speeds();

    assertThat(shares[0]).isZero();
    assertThat(shares[shares.length - 1]).isEqualTo(1);
    assertThat(shares[shares.length - 2]).isBetween(0.5, 1.0);
    assertThat(PartialClusters.alone(job, plan, plan.nodes().get(0))).isPositive();
  }

  @Test
  void aModelThatFitsNowhereIsSaidNotToFit() {

    Planning planning = plan(language(2e13, 1, null, null), "300", T4);

    assertThat(planning.plans()).isEmpty();
    assertThat(Objects.requireNonNull(planning.infeasible()).reason())
        .contains("the model does not fit, however it is split");
  }
}
