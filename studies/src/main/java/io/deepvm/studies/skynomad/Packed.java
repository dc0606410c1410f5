package io.deepvm.studies.skynomad;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Tables that are packed beside the classes. */
final class Packed {

  private Packed() {}

  static List<NamedCsvRecord> rows(String table) {
    try (InputStream in = Packed.class.getResourceAsStream(table)) {
      if (in == null) {
        throw new IllegalStateException(table + " is missing from the jar");
      }
      try (CsvReader<NamedCsvRecord> reader =
          CsvReader.builder().ofNamedCsvRecord(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        return reader.stream().toList();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static double number(NamedCsvRecord row, String column) {
    return Double.parseDouble(row.getField(column));
  }

  /** Returns what blanks divide. */
  static String[] words(NamedCsvRecord row, String column) {
    return row.getField(column).split(" ", -1);
  }
}
