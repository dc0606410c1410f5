package io.deepvm.catalog.csv;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import java.math.BigDecimal;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class PlainPriceProperties {

  @Property
  void upToSixDecimalsTheFastWaySaysWhatTheExactWaySays(
      @ForAll @LongRange(min = 0, max = 99_999_999_999L) long digits,
      @ForAll @IntRange(min = 0, max = 6) int scale) {
    String text = BigDecimal.valueOf(digits, scale).toPlainString();

    assertThat(CsvRow.plainMicros(text)).isEqualTo(Money.parse(text).micros());
  }

  @Property
  void moreDecimalsAreLeftToTheExactWay(
      @ForAll @LongRange(min = 0, max = 99_999_999) long digits,
      @ForAll @IntRange(min = 7, max = 10) int scale) {
    assertThat(CsvRow.plainMicros(BigDecimal.valueOf(digits, scale).toPlainString())).isEqualTo(-1);
  }
}
