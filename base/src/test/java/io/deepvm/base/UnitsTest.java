package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {

  @ParameterizedTest
  @CsvSource({
    "2.85, 2850000",
    "$2.85, 2850000",
    "1e-3, 1000",
    "0.0000005, 0",
    "1.8214000000000001, 1821400"
  })
  void moneyIsReadToTheMicroDollar(String text, long micros) {
    assertThat(Money.parse(text).micros()).isEqualTo(micros);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "NaN", "Infinity", "three", "1,5", "1e999999999", "99999999999999"})
  void whatIsNotMoneyIsRefusedWithAWayOut(String text) {
    assertThatThrownBy(() -> Money.parse(text))
        .isInstanceOfSatisfying(BadInput.class, e -> assertThat(e.wayOut()).startsWith("Maybe"));
  }

  @ParameterizedTest
  @CsvSource({"3000000, $3.00", "2852600, $2.8526", "-50000, -$0.05", "0, $0.00"})
  void moneyPrintsTwoDecimalsOrAsManyAsItNeeds(long micros, String text) {
    assertThat(new Money(micros)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource({
    "500MB, 500000000, 500 MB",
    "2GiB, 2147483648, 2 GiB",
    "1.5 GB, 1500000000, 1.5 GB",
    "7.5gib, 8053063680, 7.5 GiB",
    "999b, 999, 999 B"
  })
  void sizesAreReadAndPrinted(String text, long bytes, String printed) {
    assertThat(DataSize.parse(text).bytes()).isEqualTo(bytes);
    assertThat(DataSize.parse(text)).hasToString(printed);
  }

  @Test
  void aSizeWithoutAUnitIsRefusedBecauseNobodyKnowsWhichWasMeant() {
    assertThatThrownBy(() -> DataSize.parse("2")).hasMessage("'2' has no unit.");
    assertThatThrownBy(() -> DataSize.parse("2XB")).hasMessageContaining("'XB'");
    assertThatThrownBy(() -> DataSize.parse("-2GB")).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> DataSize.parse("1e300TB")).hasMessageContaining("too large");
  }

  @ParameterizedTest
  @CsvSource({
    "25Gbps, 25000000000, 25 Gbps",
    "2500 Mbps, 2500000000, 2.5 Gbps",
    "6.3GB/s, 50400000000, 50.4 Gbps"
  })
  void bandwidthsAreReadAndPrinted(String text, long bits, String printed) {
    assertThat(Bandwidth.parse(text).bitsPerSecond()).isEqualTo(bits);
    assertThat(Bandwidth.parse(text)).hasToString(printed);
  }

  @ParameterizedTest
  @CsvSource({
    "90s, 90, 1 min 30 s",
    "10min, 600, 10 min",
    "1h30m, 5400, 1 h 30 min",
    "4 h 10 min, 15000, 4 h 10 min",
    "2d, 172800, 2 d",
    "12s, 12, 12 s"
  })
  void durationsAreReadAndPrintedAsPeopleWriteThem(String text, long seconds, String printed) {
    assertThat(Durations.parse(text)).isEqualTo(Duration.ofSeconds(seconds));
    assertThat(Durations.print(Durations.parse(text))).isEqualTo(printed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "5", "5 parsecs", "-3h", "99999999999999999999h"})
  void whatIsNotADurationIsRefused(String text) {
    assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(BadInput.class);
  }

  @Test
  void aSlipOfTheFingerIsRecognised() {
    List<String> known = List.of("g4dn.xlarge", "g5.xlarge", "throughput");
    assertThat(Suggestion.nearest("g4nd.xlarge", known)).isEqualTo("g4dn.xlarge");
    assertThat(Suggestion.nearest("Troughput", known)).isEqualTo("throughput");
    assertThat(Suggestion.nearest("banana", known)).isNull();
    assertThat(Suggestion.nearest("x".repeat(1 << 20), known)).isNull();
  }
}
