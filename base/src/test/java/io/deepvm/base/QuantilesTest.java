package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuantilesTest {

  @Test
  void aQuantileIsTheSmallestValueThatTheShareDoesNotExceed() {
    Quantiles values = new Quantiles(new double[] {40, 10, 30, 20});

    assertThat(values.at(0)).isEqualTo(10);
    assertThat(values.at(0.25)).isEqualTo(10);
    assertThat(values.at(0.26)).isEqualTo(20);
    assertThat(values.at(1)).isEqualTo(40);
    assertThat(values.median()).isEqualTo(25);
    assertThat(values.mean()).isEqualTo(25);
    assertThat(values.shareAbove(20)).isEqualTo(0.5);
  }
}
