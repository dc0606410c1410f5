package io.deepvm.bench;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.studies.deepvm.DeepVmPolicies;
import io.deepvm.workload.Job;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The paper's Figure 7: 101 budgets, four policies, no quotas. The peer is the artifact's own way,
 * every (worker, remote, n, m) in four nested loops, written in Java so that both run side by side;
 * the artifact's Python needs 205 s of CPU.
 */
@State(Scope.Benchmark)
@Fork(value = 1, jvmArgs = "-Xmx1g")
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SweepBenchmark {

  private final Catalog catalog = Catalogs.load("paper-simulation");
  private final List<BudgetPolicy> published =
      List.copyOf(DeepVmPolicies.published(catalog, Job.UNSTATED, DataSize.ofGb(0.5), 2));
  private final List<BudgetPolicy> ours =
      List.copyOf(DeepVmPolicies.ours(catalog, Job.UNSTATED, DataSize.ofGb(0.5), 2));

  /** The published four policies as we compute them. */
  @Benchmark
  @Warmup(iterations = 3, time = 2)
  @Measurement(iterations = 5, time = 2)
  public BudgetSweep published() {
    return sweep(published);
  }

  /** Our own planner, both objectives, with explanations. */
  @Benchmark
  @Warmup(iterations = 3, time = 2)
  @Measurement(iterations = 5, time = 2)
  public BudgetSweep ours() {
    return sweep(ours);
  }

  /** The artifact's nested loops over the same budgets. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @Warmup(iterations = 1)
  @Measurement(iterations = 3)
  public double nestedLoops() {
    double sum = 0;
    for (int i = 0; i <= 100; i++) {
      sum += NestedLoops.best(catalog, i * 0.1, true) + NestedLoops.best(catalog, i * 0.1, false);
    }
    return sum;
  }

  private static BudgetSweep sweep(List<BudgetPolicy> policies) {
    return BudgetSweep.over(
        Money.ZERO, Money.parse("10"), Money.parse("0.1"), policies, Job.UNSTATED);
  }
}
