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

  @Test
  void textThatASpreadsheetWouldRunGetsAnApostropheAndNumbersStay() {
    assertThat(
            PlanPrintingTest.print(
                out ->
                    new Csv(out)
                        .row("=1+1", "+cmd", "-cmd", "@sum", "\t=1", "=a,b", "-1.5", "+3e-7", "-")))
        .isEqualTo("'=1+1,'+cmd,'-cmd,'@sum,'\t=1,\"'=a,b\",-1.5,+3e-7,-\n");
  }
}
