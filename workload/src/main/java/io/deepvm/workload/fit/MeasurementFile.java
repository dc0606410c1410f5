package io.deepvm.workload.fit;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads named columns of numbers from a CSV file of measurements; other columns are ignored. */
public final class MeasurementFile {

  private MeasurementFile() {}

  /** Returns the rows, each with the wanted columns in the wanted order. */
  public static List<double[]> read(Path file, List<String> columns) {
    List<double[]> rows = new ArrayList<>();
    try (CsvReader<NamedCsvRecord> reader =
        CsvReader.builder()
            .allowMissingFields(true)
            .allowExtraFields(true)
            .ofNamedCsvRecord(file)) {
      for (NamedCsvRecord row : reader) {
        rows.add(row(file, row, columns));
      }
    } catch (CsvParseException e) {
      throw bad(file, "is not a CSV file", "Maybe a quote is not closed.");
    } catch (IOException | UncheckedIOException e) {
      throw bad(file, "cannot be read", "Maybe the path is wrong.");
    }
    if (rows.isEmpty()) {
      throw bad(
          file,
          "holds no measurement",
          "Maybe write a header %s and a line for each.".formatted(String.join(",", columns)));
    }
    return rows;
  }

  private static double[] row(Path file, NamedCsvRecord row, List<String> columns) {
    if (row.getFieldCount() != row.getHeader().size()) {
      throw bad(
          file,
          "has %d fields in line %d under a header of %d"
              .formatted(row.getFieldCount(), row.getStartingLineNumber(), row.getHeader().size()),
          "Maybe a comma is missing there, or one is too many.");
    }
    double[] numbers = new double[columns.size()];
    for (int i = 0; i < numbers.length; i++) {
      String column = columns.get(i);
      if (!row.getHeader().contains(column)) {
        throw bad(
            file,
            "has no column '%s'".formatted(column),
            Suggestion.maybe(
                column,
                row.getHeader(),
                "Maybe its header should be %s.".formatted(String.join(",", columns))));
      }
      String text = row.findField(column).orElse("");
      try {
        numbers[i] = Double.parseDouble(text);
      } catch (NumberFormatException e) {
        numbers[i] = Double.NaN;
      }
      if (!Double.isFinite(numbers[i])) {
        throw bad(
            file,
            "has '%s' in column '%s' of line %d, which is not a number"
                .formatted(text, column, row.getStartingLineNumber()),
            "Maybe correct or remove that line.");
      }
    }
    return numbers;
  }

  private static BadInput bad(Path file, String problem, String wayOut) {
    return new BadInput("The measurements %s %s.".formatted(file, problem), wayOut);
  }
}
