package io.deepvm.studies.multicloud;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The study's tables, from a folder or, without one, from the small extract that is packed. */
record Tables(@Nullable Path folder) {

  List<NamedCsvRecord> rows(String table) {
    try (Reader reader = open(table);
        CsvReader<NamedCsvRecord> csv =
            CsvReader.builder().commentStrategy(CommentStrategy.SKIP).ofNamedCsvRecord(reader)) {
      return csv.stream().toList();
    } catch (IOException e) {
      throw new BadInput(
          "The table %s of the multi-cloud study cannot be read in %s.".formatted(table, folder),
          "Maybe the study's tables are in another folder.");
    }
  }

  private Reader open(String table) throws IOException {
    if (folder != null) {
      return Files.newBufferedReader(folder.resolve(table));
    }
    return new InputStreamReader(
        Objects.requireNonNull(Tables.class.getResourceAsStream(table), table),
        StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return folder == null ? "the extract that is packed" : "the full tables in " + folder;
  }

  static String text(NamedCsvRecord row, String column) {
    return row.findField(column)
        .orElseThrow(
            () ->
                new BadInput(
                    "A table of the multi-cloud study has no column '%s'.".formatted(column),
                    "Maybe the folder holds other data."));
  }

  static double number(NamedCsvRecord row, String column) {
    Double number = optional(row, column);
    if (number == null) {
      throw new BadInput(
          "Line %d of a table of the multi-cloud study lacks %s."
              .formatted(row.getStartingLineNumber(), column),
          "Maybe the row is cut short.");
    }
    return number;
  }

  /** Returns the number in a column, or null where the field is empty. */
  static @Nullable Double optional(NamedCsvRecord row, String column) {
    String text = text(row, column);
    try {
      return text.isEmpty() ? null : Double.valueOf(text);
    } catch (NumberFormatException e) {
      throw new BadInput(
          "Line %d of a table of the multi-cloud study has %s: %s, which is not a number."
              .formatted(row.getStartingLineNumber(), column, text),
          "Maybe a comma is missing.");
    }
  }
}
