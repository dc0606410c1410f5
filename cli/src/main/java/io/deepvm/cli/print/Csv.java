package io.deepvm.cli.print;

import com.fasterxml.jackson.core.io.NumberOutput;
import io.deepvm.base.CsvCell;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes RFC 4180 rows; a null is an empty cell. A text that a spreadsheet would take for a formula
 * gets an apostrophe before it.
 */
public final class Csv {

  private final PrintWriter out;

  public Csv(PrintWriter out) {
    this.out = out;
  }

  /** Writes one row. */
  public Csv row(@Nullable Object... cells) {
    for (int i = 0; i < cells.length; i++) {
      out.print(i == 0 ? "" : ",");
      Object cell = cells[i];
      out.print(cell == null ? "" : quoted(CsvCell.of(text(cell))));
    }
    out.print("\n");
    return this;
  }

  // Double.toString prints other digits before JDK 19.
  private static String text(Object cell) {
    return cell instanceof Double d ? NumberOutput.toString(d, true) : cell.toString();
  }

  private static String quoted(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
