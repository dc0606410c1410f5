package io.deepvm.cli.print;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Lays a table out in fewer columns of text than it is wide. If one text column can give way, its
 * cells go on below themselves. Otherwise a row takes several lines, each with some of its cells,
 * and the header shows which.
 */
final class NarrowTable {

  /** A text column narrower than this is harder to read than a second line. */
  private static final int LEAST_TEXT = 16;

  private static final String GAP = "  ";

  private final List<Boolean> right;
  private final int[] widths;
  private final int most;
  private final List<List<Integer>> bands = new ArrayList<>();

  /**
   * Plans the lines of a row.
   *
   * @param right which columns are aligned right
   * @param widths how wide the columns would be
   * @param words the longest word of each column
   * @param most the widest line
   */
  NarrowTable(List<Boolean> right, int[] widths, int[] words, int most) {
    this.right = right;
    this.widths = widths.clone();
    this.most = most;
    if (!shrinkWidest(words)) {
      breakIntoBands();
    }
  }

  /** Sends the lines of one row. */
  void lines(List<String> cells, Consumer<String> line) {
    for (int band = 0; band < bands.size(); band++) {
      List<List<String>> wrapped = new ArrayList<>();
      int height = 0;
      for (int column : bands.get(band)) {
        List<String> parts = wrapped(cells.get(column), widths[column]);
        wrapped.add(parts);
        height = Math.max(height, parts.size());
      }
      for (int i = 0; i < height; i++) {
        line.accept((indent(band) + text(bands.get(band), wrapped, i)).stripTrailing());
      }
    }
  }

  private String text(List<Integer> columns, List<List<String>> wrapped, int line) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      int column = columns.get(i);
      String cell = line < wrapped.get(i).size() ? wrapped.get(i).get(line) : "";
      String padding = " ".repeat(Math.max(0, widths[column] - cell.length()));
      cells.add(right.get(column) ? padding + cell : cell + padding);
    }
    return String.join(GAP, cells);
  }

  /** Narrows the widest text column if that alone is enough. */
  private boolean shrinkWidest(int[] words) {
    int total = GAP.length() * (widths.length - 1);
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      total += widths[i];
      if (!right.get(i) && (widest < 0 || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    int left = widest < 0 ? 0 : widths[widest] - (total - most);
    if (left < LEAST_TEXT || left < words[widest]) {
      return false;
    }
    widths[widest] = left;
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      all.add(i);
    }
    bands.add(all);
    return true;
  }

  private void breakIntoBands() {
    List<Integer> band = new ArrayList<>();
    int used = 0;
    for (int i = 0; i < widths.length; i++) {
      int room = most - indent(bands.size()).length();
      if (!band.isEmpty() && used + GAP.length() + widths[i] > room) {
        bands.add(band);
        band = new ArrayList<>();
        room = most - indent(bands.size()).length();
      }
      widths[i] = Math.min(widths[i], room);
      used = band.isEmpty() ? widths[i] : used + GAP.length() + widths[i];
      band.add(i);
    }
    bands.add(band);
  }

  /** All lines of a row but the first are indented. */
  private static String indent(int band) {
    return band == 0 ? "" : "    ";
  }

  /** Returns a text as lines of at most this width, broken between words; a long word stays. */
  private static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
