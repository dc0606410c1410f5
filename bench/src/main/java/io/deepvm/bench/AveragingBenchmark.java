package io.deepvm.bench;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.planner.Architectures;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Planning;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The search for peers over all GPU offers of a catalog, up to 32 peers on four continents. */
@State(Scope.Benchmark)
@Fork(value = 1, jvmArgs = "-Xmx2g")
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 4, time = 3)
public class AveragingBenchmark {

  /** A catalog name, file or folder. */
  @Param("snapshot")
  public String catalog = Catalogs.DEFAULT;

  /** A job file with an averaging profile. */
  @Param("examples/roberta-xlm.yaml")
  public String job = "";

  @Param({"2", "20"})
  public String dollarsPerHour = "2";

  private @Nullable Catalog loaded;
  private @Nullable Job read;

  /** The plans for one budget. */
  @Benchmark
  public Planning plan() {
    return Architectures.plan(
        market(),
        training(),
        Goal.within(Money.parse(dollarsPerHour))
            .withObjective(Objective.THROUGHPUT)
            .withArchitectures(Set.of("averaging")));
  }

  private Catalog market() {
    if (loaded == null) {
      loaded = Catalogs.load(catalog);
    }
    return loaded;
  }

  private Job training() {
    if (read == null) {
      read = JobFile.read(Path.of(job));
    }
    return read;
  }
}
