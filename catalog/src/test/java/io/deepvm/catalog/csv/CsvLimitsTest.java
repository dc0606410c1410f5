package io.deepvm.catalog.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvLimitsTest {

  private static final long ENDLESS = 1L << 30;

  /** Counts what was taken, so that a test can tell that the reader gave up early. */
  private static final class Repeated extends InputStream {

    private final byte[] pattern;
    private long taken;

    Repeated(String pattern) {
      this.pattern = pattern.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int read() {
      return taken == ENDLESS ? -1 : pattern[(int) (taken++ % pattern.length)];
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
      int count = (int) Math.min(length, ENDLESS - taken);
      for (int i = 0; i < count; i++) {
        buffer[offset + i] = (byte) read();
      }
      return count == 0 ? -1 : count;
    }
  }

  private static TextSource source(InputStream bytes) {
    return new TextSource("big.csv", "big", () -> bytes);
  }

  private static TextSource source(String text) {
    return source(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", ",", "\"", "\"x\n", "xxxxxxxxx,", "#"})
  void aLineOfOneGigabyteIsRefusedAfterTheFirstFewHundredKilobytes(String pattern) {
    Repeated endless = new Repeated(pattern);
    InputStream header = new ByteArrayInputStream("a,b\n1,".getBytes(StandardCharsets.UTF_8));

    BadInput error =
        catchThrowableOfType(
            BadInput.class,
            () -> {
              try (CsvTable table =
                  CsvTable.open(source(new SequenceInputStream(header, endless)))) {
                for (CsvRow row = table.next(); row != null; row = table.next()) {
                  row.text(1);
                }
              }
            });

    assertThat(error).hasMessageContaining("big.csv").hasMessageContaining("line ");
    assertThat(endless.taken).isLessThan(2 << 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,b\n1,\"x", "a,b\n1,\"x\n", "a,b\n1,\"x\n2,y\n", "a,b\n\"1,x\n2,y\n"})
  void aQuoteThatIsNeverClosedIsRefused(String text) {
    BadInput error =
        catchThrowableOfType(
            BadInput.class,
            () -> {
              try (CsvTable table = CsvTable.open(source(text))) {
                for (CsvRow row = table.next(); row != null; row = table.next()) {
                  row.text(1);
                }
              }
            });

    assertThat(error).hasMessageContaining("big.csv, line 2");
  }

  @Test
  void aByteOrderMarkAndWindowsLineEndsAreNoPartOfTheText() {
    try (CsvTable table = CsvTable.open(source("\uFEFFa,b\r\n1,2\r\n"))) {
      assertThat(table.header()).containsExactly("a", "b");
      assertThat(table.next()).extracting(row -> row.text(1)).isEqualTo("2");
      assertThat(table.next()).isNull();
    }
  }
}
