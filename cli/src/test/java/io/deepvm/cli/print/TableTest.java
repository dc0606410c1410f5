package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables keep to the width of the terminal. */
class TableTest {

  private static final Table OFFERS =
      new Table("TYPE", "PLACE", "PRICE/H>", "SPEED>")
          .row("big.machine", "aws/us-east-1/a", "$12.50", "2 PFLOPS")
          .row("small", "gcp/here", "$0.5", "65 TFLOPS");

  @Test
  void aTableThatFitsHasOneLineARow() {
    assertThat(print(OFFERS, 48))
        .isEqualTo(
            """
            TYPE         PLACE            PRICE/H      SPEED
            big.machine  aws/us-east-1/a   $12.50   2 PFLOPS
            small        gcp/here            $0.5  65 TFLOPS
            """);
  }

  @Test
  void aTableThatIsTooWideTakesSeveralLinesARow() {
    assertThat(print(OFFERS, 30))
        .isEqualTo(
            """
            TYPE         PLACE
                PRICE/H      SPEED
            big.machine  aws/us-east-1/a
                 $12.50   2 PFLOPS
            small        gcp/here
                   $0.5  65 TFLOPS
            """);
  }

  @Test
  void oneLongTextGoesOnBelowItself() {
    Table table =
        new Table("POLICY", "DOES").row("spot", "waits for spot nodes and never pays for others");
    assertThat(print(table, 34))
        .isEqualTo(
            """
            POLICY  DOES
            spot    waits for spot nodes and
                    never pays for others
            """);
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 25, 30, 40, 60})
  void noLineIsWiderThanTheTerminal(int width) {
    Table table =
        new Table("A", "B>", "C", "D>")
            .row("one two three four five six", "1", "seven eight nine ten", "2,000,000");
    assertThat(print(table, width).lines()).allMatch(line -> line.length() <= width);
  }

  private static String print(Table table, int width) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    table.print(out, new Paint(false, width), "");
    out.flush();
    return text.toString();
  }
}
