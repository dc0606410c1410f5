package io.deepvm.bench;

import io.deepvm.base.Money;
import io.deepvm.planner.parameterserver.ExactSearch;
import io.deepvm.planner.parameterserver.Exhaustive;
import io.deepvm.planner.parameterserver.ProvisionOutcome;
import io.deepvm.planner.parameterserver.ProvisionRequest;
import io.deepvm.planner.parameterserver.SlidingWindow;
import io.deepvm.planner.parameterserver.WorkerOffer;
import io.deepvm.studies.spotdnn.SpotDnnPaper;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
 * Provisioning for a parameter server. The peers are spotDNN's sliding window (0.3 s for 70
 * instances in the paper) and weighing every cluster (1,503.7 s there), which is run here on the
 * paper's own 25 instances, where it ends.
 */
@State(Scope.Benchmark)
@Fork(value = 1, jvmArgs = "-Xmx2g")
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ProvisionBenchmark {

  private final ProvisionRequest paper = SpotDnnPaper.request(0.8, 2400);
  private final ProvisionRequest seventy = paper.withOffers(offers(7, 10, 1)).withDeadline(1500);
  private final ProvisionRequest thousand = paper.withOffers(offers(50, 20, 2)).withDeadline(900);

  /** 25 instances of 5 types, exactly. */
  @Benchmark
  public ProvisionOutcome exact25() {
    return new ExactSearch().search(paper);
  }

  /** The same by weighing every cluster. */
  @Benchmark
  public ProvisionOutcome exhaustive25() {
    return new Exhaustive().search(paper);
  }

  /** 70 instances of 7 types, exactly. */
  @Benchmark
  public ProvisionOutcome exact70() {
    return new ExactSearch().search(seventy);
  }

  /** The same by the paper's window. */
  @Benchmark
  public ProvisionOutcome window70() {
    return new SlidingWindow().search(seventy);
  }

  /** 1,000 instances of 50 types, exactly. */
  @Benchmark
  public ProvisionOutcome exact1000() {
    return new ExactSearch().search(thousand);
  }

  /** Made-up types around the paper's speeds and prices. */
  private static List<WorkerOffer> offers(int types, int each, long seed) {
    Random random = new Random(seed);
    ParameterServerProfile profile = SpotDnnPaper.model().profile();
    List<WorkerOffer> offers = new ArrayList<>();
    for (int i = 0; i < types; i++) {
      int gpus = 1 << random.nextInt(4);
      double batch = 512.0 * (1 + random.nextInt(2));
      double speed = 400 * gpus * (1 + 3 * random.nextDouble());
      Money price = new Money(Math.round(1e6 * (speed / 2500 * (0.5 + random.nextDouble()))));
      offers.add(
          new WorkerOffer(profile.measuredWorker("t" + i, gpus, batch, speed), price, each, 0));
    }
    return offers;
  }
}
