package io.deepvm.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClusterEnduranceIT {

  /** A few of the losses that a full run has a thousand of. */
  @Test
  @Timeout(300)
  void nodesAreTakenAndNothingHangsOrIsLost() throws Exception {
    assertThat(ClusterEndurance.run(5, 7, 3, 20)).isTrue();
  }
}
