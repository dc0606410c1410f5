package io.deepvm.bench;

import io.deepvm.simulator.gang.GangBound;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.studies.skynomad.ArtifactCase;
import io.deepvm.studies.skynomad.ArtifactSimulator;
import io.deepvm.studies.skynomad.SkyNomadStudy;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Runs per second of one thread through SkyNomad's H100 windows (311 ticks, 6 zones), as its
 * simulator does them.
 *
 * <p>The artifact itself, in CPU time on one core of a like machine: UP 50 to 60, UP(S) 5 to 6.5,
 * UP(A) and UP(AP) 3.6 to 5.8, SkyNomad 1.7 to 2.3, SkyNomad(o) 1.35 to 1.5, Optimal 0.15 to 0.24.
 */
@State(Scope.Thread)
@Fork(1)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
public class GangBenchmark {

  private static final String BOUND = "bound";
  private static final double DEADLINE_HOURS = 51.833333333333336;
  private static final int[] STARTS = {0, 311, 622, 933, 1244, 1556};

  @Param({"UP", "UP(S)", "UP(A)", "UP(AP)", "SkyNomad", "SkyNomad(o)", "Optimal", BOUND})
  public String policy = "UP";

  @Param({"1.2", "1.5"})
  public double ratio = 1.5;

  private GangMarket market = SkyNomadStudy.market("Global Diverse (6)");
  private int next;

  /** Leaves one zone to the policy that knows no other. */
  @Setup
  public void choose() {
    if (policy.equals("UP")) {
      market = market.only(0);
    }
  }

  /** One window under the policy, or its bound. */
  @Benchmark
  public double run() {
    ArtifactCase given = given();
    if (!policy.equals(BOUND)) {
      return ArtifactSimulator.run(policy, market, given).full().dollars();
    }
    GangJob job = given.job();
    return GangBound.of(market.window(given.startTick(), job.ticks(market.tickSeconds())), job)
        .dollars();
  }

  private ArtifactCase given() {
    next = (next + 1) % STARTS.length;
    return new ArtifactCase(DEADLINE_HOURS / ratio, DEADLINE_HOURS, 0.2, 50, STARTS[next]);
  }
}
