package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Numbers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "3.92, 3.92",
    "3.925, 3.92",
    "100, 100",
    "1478.4, 1478",
    "999999, 999999",
    "1e6, 1.00e+06",
    "0.05786, 0.0579",
    "0.0001, 1.00e-04",
    "-3.14159, -3.14"
  })
  void numbersHaveThreeDigitsThatMatter(double value, String text) {
    assertThat(Numbers.print(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"65e12, 65 TFLOPS", "999.6e12, 1 PFLOPS", "1.478e15, 1.48 PFLOPS", "500, 500 FLOPS"})
  void speedsHaveAUnit(double value, String text) {
    assertThat(Figures.flops(value, false)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0, 0 %", "1e-16, 0 %", "0.0123, +1.2 %", "-0.165, -16.5 %", "0.00001, +0.0010 %"})
  void differencesHaveASign(double share, String text) {
    assertThat(Figures.percent(share)).isEqualTo(text);
  }
}
