package io.deepvm.bench.scaling;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The tables of measured speeds beside the project; none where they are not at hand. */
record Reference(Path folder) {

  private static final String SPEEDS = "measured_training_throughput.csv.gz";

  /** Returns the rows of one source. */
  List<NamedCsvRecord> speeds(String source) {
    return rows(SPEEDS).stream().filter(row -> row.getField("source").equals(source)).toList();
  }

  /** Returns the rows of a table, or none. */
  List<NamedCsvRecord> rows(String table) {
    Path file = folder.resolve(table);
    if (!Files.isReadable(file)) {
      return List.of();
    }
    try (Reader reader = open(file);
        CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(reader)) {
      return csv.stream().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Reader open(Path file) throws IOException {
    return file.toString().endsWith(".gz")
        ? new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8)
        : Files.newBufferedReader(file);
  }
}
