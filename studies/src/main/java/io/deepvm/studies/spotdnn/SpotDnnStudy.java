package io.deepvm.studies.spotdnn;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.studies.StudyRow;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** spotDNN's tables and figures beside ours; the originals' own mistakes are in the notes. */
public final class SpotDnnStudy {

  private SpotDnnStudy() {}

  /** Returns every figure in the order of the paper's tables and figures. */
  public static List<StudyRow> rows() {
    Map<String, Double> ours = new SpotDnnFigures().all();
    List<StudyRow> rows = new ArrayList<>();
    for (NamedCsvRecord row : read("published.csv")) {
      String name = row.getField("name");
      String note = row.getField("note");
      String source = row.getField("source");
      rows.add(
          new StudyRow(
              "spotdnn",
              name,
              Double.parseDouble(row.getField("published")),
              ours.get(name),
              note.isEmpty() ? source : source + "; " + note));
    }
    return List.copyOf(rows);
  }

  static List<NamedCsvRecord> read(String resource) {
    try (InputStream in = SpotDnnStudy.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the jar");
      }
      try (CsvReader<NamedCsvRecord> reader =
          CsvReader.builder().ofNamedCsvRecord(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        return reader.stream().toList();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
