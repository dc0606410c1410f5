package io.deepvm.catalog;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the project's own tables: a resource in CSV with comment lines, a header and no quotes.
 *
 * <p>The tables are read while a command starts, where loading a CSV library and the first lambda
 * would take longer than the reading itself; hence the plain loops.
 */
final class Table {

  private static final int BUFFER = 1 << 16;

  private Table() {}

  /** Returns the rows below the header, in columns. */
  static List<String[]> rows(String resource) {
    List<String[]> rows = new ArrayList<>();
    for (String line : lines(resource)) {
      rows.add(columns(line));
    }
    return rows;
  }

  /** Returns the rows below the header as they stand, for tables too long to take apart at once. */
  static List<String> lines(String resource) {
    try (InputStream in = Table.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("The table %s is not packed.".formatted(resource));
      }
      BufferedReader reader =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), BUFFER);
      List<String> lines = new ArrayList<>();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.startsWith("#")) {
          lines.add(line);
        }
      }
      return lines.subList(1, lines.size());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String[] columns(String line) {
    return line.split(",", -1);
  }

  /** Returns the number in a column, or null where the table leaves it open. */
  static @Nullable Double number(String[] row, int column) {
    return row[column].isEmpty() ? null : Double.valueOf(row[column]);
  }
}
