package io.deepvm.base;

import java.util.regex.Pattern;

/** A text in a CSV file that a spreadsheet may open: with an apostrophe it is no formula. */
public final class CsvCell {

  private static final String FORMULA_STARTS = "=+-@\t";
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?");

  private CsvCell() {}

  /** Returns the text to write: after an apostrophe if a spreadsheet would run it. */
  public static String of(String text) {
    return isFormula(text) ? "'" + text : text;
  }

  /** Returns the text that was written. */
  public static String read(String cell) {
    return cell.startsWith("'") && isFormula(cell.substring(1)) ? cell.substring(1) : cell;
  }

  private static boolean isFormula(String text) {
    return text.length() > 1
        && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0
        && !NUMBER.matcher(text).matches();
  }
}
