package io.deepvm.cli.print;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Rows of text in aligned columns, two spaces apart; columns of numbers are aligned right. */
public final class Table {

  /** Ends the header word of a column that is aligned right. */
  static final String RIGHT = ">";

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  /** Makes a table whose header words ending in ">" stand over right-aligned columns. */
  public Table(String... header) {
    this.header = List.of(header);
  }

  /** Adds a row with one cell per column. */
  public Table row(String... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + header);
    }
    rows.add(List.of(cells));
    return this;
  }

  /** Prints the header and the rows, indented, within the width of the paint. */
  public void print(PrintWriter out, Paint paint, String indent) {
    int[] widths = new int[header.size()];
    List<String> titles = header.stream().map(Table::title).toList();
    widen(widths, titles);
    rows.forEach(row -> widen(widths, row));
    if (line(indent, widths, titles).length() <= paint.width()
        && rows.stream().allMatch(row -> line(indent, widths, row).length() <= paint.width())) {
      out.println(paint.faint(line(indent, widths, titles)));
      rows.forEach(row -> out.println(line(indent, widths, row)));
      return;
    }
    List<Boolean> right = header.stream().map(word -> word.endsWith(RIGHT)).toList();
    int[] words = new int[widths.length];
    widen(words, titles.stream().map(Table::longestWord).toList());
    rows.forEach(row -> widen(words, row.stream().map(Table::longestWord).toList()));
    NarrowTable narrow = new NarrowTable(right, widths, words, paint.width() - indent.length());
    narrow.lines(titles, line -> out.println(paint.faint(indent + line)));
    rows.forEach(row -> narrow.lines(row, line -> out.println(indent + line)));
  }

  private String line(String indent, int[] widths, List<String> cells) {
    StringBuilder line = new StringBuilder(indent);
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - cells.get(i).length());
      line.append(i == 0 ? "" : "  ");
      line.append(isRight(i) ? padding + cells.get(i) : cells.get(i) + padding);
    }
    return line.toString().stripTrailing();
  }

  private boolean isRight(int column) {
    return header.get(column).endsWith(RIGHT);
  }

  private static String title(String word) {
    return word.endsWith(RIGHT) ? word.substring(0, word.length() - 1) : word;
  }

  private static String longestWord(String cell) {
    return Arrays.stream(cell.split(" ", -1))
        .max(Comparator.comparingInt(String::length))
        .orElse(cell);
  }

  private static void widen(int[] widths, List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], cells.get(i).length());
    }
  }
}
