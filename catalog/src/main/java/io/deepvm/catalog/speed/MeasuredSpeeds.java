package io.deepvm.catalog.speed;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads measured speeds from CSV: the built-in table, or a user's own; docs/explanation/speeds.md.
 */
public final class MeasuredSpeeds {

  /** The columns, in the order of the built-in table. */
  public static final List<String> COLUMNS =
      List.of(
          "model",
          "gpu",
          "gpus",
          "precision",
          "batch",
          "sample_size",
          "samples_per_s",
          "source",
          "date",
          "unverified");

  private static final String BUILT_IN = "/io/deepvm/catalog/speed/speeds.csv.gz";

  private final int[] columns;
  private final String unnamedSource;

  private MeasuredSpeeds(CsvTable table, String unnamedSource) {
    this.unnamedSource = unnamedSource;
    columns = COLUMNS.stream().mapToInt(table::column).toArray();
    for (String name : List.of("model", "gpu", "samples_per_s")) {
      table.requiredColumn(name);
    }
    for (String name : table.header()) {
      if (!COLUMNS.contains(name)) {
        throw new BadInput(
            "The column '%s' of measured speeds is unknown.".formatted(name),
            Suggestion.maybe(
                name, COLUMNS, "Maybe one of %s.".formatted(String.join(", ", COLUMNS))));
      }
    }
  }

  /** Returns the speeds that DeepVM carries. */
  public static List<MeasuredSpeed> builtIn() {
    return BuiltIn.SPEEDS;
  }

  /** Returns the speeds of a file; every column but model, gpu and samples_per_s may be missing. */
  public static List<MeasuredSpeed> read(Path file) {
    TextSource source = TextSource.of(file);
    return read(source, source.stem());
  }

  private static List<MeasuredSpeed> read(TextSource source, String unnamedSource) {
    try (CsvTable table = CsvTable.open(source)) {
      MeasuredSpeeds reader = new MeasuredSpeeds(table, unnamedSource);
      List<MeasuredSpeed> speeds = new ArrayList<>();
      for (CsvRow row = table.next(); row != null; row = table.next()) {
        speeds.add(reader.speed(row));
      }
      return List.copyOf(speeds);
    }
  }

  private MeasuredSpeed speed(CsvRow row) {
    String source = row.text(column("source"));
    Double speed = row.number(column("samples_per_s"));
    if (speed == null || speed == 0) {
      throw row.failure(
          column("samples_per_s"),
          "the speed is missing or 0.",
          "Maybe drop the row: a model that does not fit has no speed.");
    }
    Integer gpus = count(row, "gpus");
    return new MeasuredSpeed(
        row.requiredText(column("model")),
        gpu(row),
        gpus == null ? 1 : gpus,
        precision(row),
        count(row, "batch"),
        count(row, "sample_size"),
        speed,
        new SpeedSource(
            source.isEmpty() ? unnamedSource : source,
            row.text(column("date")),
            row.text(column("unverified")).equals("true")));
  }

  private Gpu gpu(CsvRow row) {
    String name = row.requiredText(column("gpu"));
    Gpu gpu = Hardware.gpu(name);
    if (gpu == null) {
      throw row.failure(
          column("gpu"),
          "the GPU '%s' is not known.".formatted(name),
          Suggestion.maybe(name, Hardware.gpuNames(), "Maybe 'deepvm catalog list' spells it."));
    }
    return gpu;
  }

  private Precision precision(CsvRow row) {
    String text = row.text(column("precision"));
    if (text.isEmpty()) {
      return Precision.FP16;
    }
    return Arrays.stream(Precision.values())
        .filter(precision -> precision.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                row.failure(
                    column("precision"),
                    "'%s' is no precision.".formatted(text),
                    "Maybe one of %s.".formatted(Arrays.toString(Precision.values()))));
  }

  private @Nullable Integer count(CsvRow row, String name) {
    Double value = row.number(column(name));
    if (value == null) {
      return null;
    }
    if (value < 1 || value != Math.rint(value) || value > Integer.MAX_VALUE) {
      throw row.failure(
          column(name),
          "'%s' is not a whole number from 1 up.".formatted(row.text(column(name))),
          "Maybe leave it empty.");
    }
    return value.intValue();
  }

  private int column(String name) {
    return columns[COLUMNS.indexOf(name)];
  }

  /** The built-in speeds, read at the first question. */
  private static final class BuiltIn {
    static final List<MeasuredSpeed> SPEEDS =
        read(TextSource.builtIn("the built-in speeds", MeasuredSpeeds.class, BUILT_IN), "");
  }
}
