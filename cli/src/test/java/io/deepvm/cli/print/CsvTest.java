package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CsvTest {

  @Test
  void cellsWithSeparatorsQuotesAndLineEndsAreQuoted() {
    assertThat(
            PlanPrintingTest.print(
                out -> new Csv(out).row("a,b", "say \"x\"", "two\nlines", null, 0.1, 7)))
        .isEqualTo("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",,0.1,7\n");
  }
}
