package io.deepvm.bench.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Bounds of the figures in docs/explanation/cluster-speed.md. */
class ClusterTruthTest {

  private static final Reference REFERENCE =
      new Reference(
          Path.of(System.getProperty("deepvm.root", ".."), "..", "shared", "data", "throughput"));

  /** Returns the errors, or skips the test where the reference rows are not at hand. */
  private static ErrorTable known(ErrorTable errors) {
    assumeTrue(errors.size() > 0, "no reference rows");
    return errors;
  }

  @Test
  void stepTimesOfPlacementsLeftOutAreWithinTenPercentInTheMedian() {
    assertThat(known(new SiaPlacements(REFERENCE).placementsLeftOut()).median()).isLessThan(0.1);
  }

  @Test
  void speedsAtTwiceTheNodesAreWithinTenPercentInTheMedian() {
    assertThat(known(new DoubledNodes(REFERENCE).errors()).median()).isLessThan(0.1);
  }

  @Test
  void speedsOverParameterServersAreWithinFivePercent() {
    ErrorTable errors = known(new ServerClusters(REFERENCE).leftOut());

    assertThat(errors.mean()).isLessThan(0.05);
    assertThat(errors.ninthDecile()).isLessThan(0.1);
  }

  @Test
  void publishedCurvesAreMetWithinTheStatedErrors() {
    assertThat(ClusterTruth.deepvm().ninthDecile()).isLessThan(0.06);
    assertThat(ClusterTruth.spotdnn().ninthDecile()).isLessThan(0.02);
  }
}
