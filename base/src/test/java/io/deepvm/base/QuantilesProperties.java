package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;

class QuantilesProperties {

  @Property
  void atLeastTheShareOfTheValuesIsNotAboveTheQuantile(
      @ForAll @Size(min = 1, max = 40) double[] values,
      @ForAll @DoubleRange(min = 0, max = 1) double share) {
    Quantiles quantiles = new Quantiles(values);

    double quantile = quantiles.at(share);

    assertThat(1 - quantiles.shareAbove(quantile)).isGreaterThanOrEqualTo(share - 1e-9);
    assertThat(quantiles.low(share)).isLessThanOrEqualTo(quantile);
    assertThat(quantiles.high(share)).isGreaterThanOrEqualTo(quantile);
  }
}
