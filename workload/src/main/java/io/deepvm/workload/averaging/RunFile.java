package io.deepvm.workload.averaging;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads measured runs from a CSV file with a row for each group of equal peers; rows of one run
 * need not stand together. Links are those of the catalog, the protocol is the usual one.
 */
public final class RunFile {

  /** The columns, in any order; others are ignored. */
  public static final List<String> COLUMNS =
      List.of(
          "run",
          "parameters",
          "tensors",
          "target_batch",
          "place",
          "count",
          "samples_per_second",
          "vcpus",
          "measured_samples_per_second");

  private final Path file;
  private final Network network = new CatalogNetwork();
  private final Map<String, Run> runs = new LinkedHashMap<>();

  private RunFile(Path file) {
    this.file = file;
  }

  /** Returns the runs in the order in which they begin. */
  public static List<Observation> read(Path file) {
    return new RunFile(file).read();
  }

  /** What all rows of a run have in common. */
  private record Shape(double parameters, int tensors, int targetBatch, double measured) {}

  private record Run(Shape shape, List<PeerGroup> groups) {}

  private List<Observation> read() {
    try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(file)) {
      for (NamedCsvRecord row : reader) {
        checkColumns(row.getHeader());
        add(row);
      }
    } catch (CsvParseException e) {
      throw bad("are not a CSV file", "Maybe a quote is not closed.");
    } catch (IOException | UncheckedIOException e) {
      throw bad("cannot be read", "Maybe the path is wrong.");
    }
    if (runs.isEmpty()) {
      throw bad(
          "are none",
          "Maybe write a header %s and a line for each group of peers."
              .formatted(String.join(",", COLUMNS)));
    }
    List<Observation> observations = new ArrayList<>();
    runs.forEach((name, run) -> observations.add(observation(name, run)));
    return observations;
  }

  private void checkColumns(List<String> header) {
    for (String column : COLUMNS) {
      if (!header.contains(column)) {
        throw bad(
            "have no column '%s'".formatted(column),
            Suggestion.maybe(
                column,
                header,
                "Maybe the header should be %s.".formatted(String.join(",", COLUMNS))));
      }
    }
  }

  private void add(NamedCsvRecord row) {
    String name = row.findField("run").orElse("");
    if (name.isBlank()) {
      throw bad(
          "have no name of a run in line %d".formatted(row.getStartingLineNumber()),
          "Maybe number the runs; groups of one run have the same.");
    }
    Shape shape =
        new Shape(
            positive(row, "parameters"),
            whole(row, "tensors"),
            whole(row, "target_batch"),
            positive(row, "measured_samples_per_second"));
    Peer peer =
        new Peer(
            "peer",
            place(row),
            positive(row, "samples_per_second"),
            HostClass.of(positive(row, "vcpus")),
            Money.ZERO,
            null);
    Run run = runs.computeIfAbsent(name, key -> new Run(shape, new ArrayList<>()));
    if (!run.shape.equals(shape)) {
      throw bad(
          "have in line %d another model, target batch or measured speed than before in run '%s'"
              .formatted(row.getStartingLineNumber(), name),
          "Maybe it is a run of its own, and should have another name.");
    }
    run.groups.add(new PeerGroup(peer, whole(row, "count")));
  }

  private Observation observation(String name, Run run) {
    if (ExchangeModel.count(run.groups) < 2) {
      throw bad(
          "have a single peer in run '%s', which averages with nobody".formatted(name),
          "Maybe leave it out; its speed belongs into samples_per_second.");
    }
    Shape shape = run.shape;
    return new Observation(
        new TrainedModel(name, shape.parameters, shape.tensors),
        run.groups,
        network,
        Protocol.USUAL,
        shape.targetBatch,
        shape.measured);
  }

  private Place place(NamedCsvRecord row) {
    String text = row.findField("place").orElse("");
    String[] parts = text.split("/", -1);
    boolean valid = parts.length == 2 || parts.length == 3;
    for (String part : parts) {
      valid &= !part.isBlank() && !part.contains("*");
    }
    if (!valid) {
      throw bad(row, "place", "one place", "Maybe write it like gcp/us-central1.");
    }
    return new Place(parts[0], parts[1], parts.length == 3 ? parts[2] : null);
  }

  private int whole(NamedCsvRecord row, String column) {
    double value = positive(row, column);
    if (value != Math.rint(value) || value > Integer.MAX_VALUE) {
      throw bad(row, column, "a whole number", "Maybe write it like 8.");
    }
    return (int) value;
  }

  private double positive(NamedCsvRecord row, String column) {
    double value;
    try {
      value = Double.parseDouble(row.findField(column).orElse(""));
    } catch (NumberFormatException e) {
      value = Double.NaN;
    }
    if (!(value > 0 && Double.isFinite(value))) {
      throw bad(row, column, "a positive number", "Maybe correct that line.");
    }
    return value;
  }

  private BadInput bad(NamedCsvRecord row, String column, String wanted, String wayOut) {
    return bad(
        "have '%s' in column '%s' of line %d, which is not %s"
            .formatted(
                row.findField(column).orElse(""), column, row.getStartingLineNumber(), wanted),
        wayOut);
  }

  private BadInput bad(String problem, String wayOut) {
    return new BadInput("The runs in %s %s.".formatted(file, problem), wayOut);
  }
}
