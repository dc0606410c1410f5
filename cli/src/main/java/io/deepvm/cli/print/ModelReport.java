package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.MeasuredSpeeds;
import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.speed.ModelPreset;
import io.deepvm.workload.speed.ModelPresets;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Well-known models and their measured speeds. */
public record ModelReport(PrintWriter out) {

  /** Prints all presets for people. */
  public void table(Paint paint) {
    Map<String, Set<String>> gpus = gpus();
    Table table = new Table("MODEL", "FOR", "PARAMETERS>", "FLOP>", "BATCH>", "SIZE>", "GPUS>");
    for (ModelPreset preset : ModelPresets.all()) {
      table.row(
          preset.name(),
          preset.title(),
          Numbers.scaled(parameters(preset), ""),
          Numbers.scaled(orZero(preset.shape().flopPerSample()), ""),
          String.valueOf(preset.batch()),
          preset.shape().sampleSize() == null ? "-" : preset.shape().sampleSize().toString(),
          String.valueOf(measured(preset, gpus).size()));
    }
    table.print(out, paint, "");
    out.println();
    out.println(
        "FLOP are of one sample, forward and backward; SIZE is the edge of an image or the tokens;");
    out.println("GPUS is the number of GPU types on which its speed was measured.");
  }

  /** Prints all presets as JSON of the schema deepvm/models/v1. */
  public void json() {
    Map<String, Set<String>> gpus = gpus();
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/models/v1");
          json.array(
              "models",
              array -> {
                for (ModelPreset preset : ModelPresets.all()) {
                  array.object(model -> describe(model, preset, measured(preset, gpus)));
                }
              });
        });
  }

  /** Prints all presets as CSV. */
  public void csv() {
    Map<String, Set<String>> gpus = gpus();
    Csv csv = new Csv(out);
    csv.row("model", "for", "parameters", "flopPerSample", "batch", "sampleSize", "gpus", "source");
    for (ModelPreset preset : ModelPresets.all()) {
      csv.row(
          preset.name(),
          preset.title(),
          parameters(preset),
          preset.shape().flopPerSample(),
          preset.batch(),
          preset.shape().sampleSize(),
          String.join(" ", measured(preset, gpus)),
          preset.source());
    }
  }

  /** Prints one preset with its measured speeds as JSON of the schema deepvm/model/v1. */
  public void json(ModelPreset preset, List<MeasuredSpeed> rows) {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/model/v1");
          describe(json, preset, measured(preset, gpus()));
          json.put("job", preset.jobFile());
          json.array(
              "rows",
              array -> {
                for (MeasuredSpeed row : rows) {
                  array.object(each -> SpeedReport.row(each, row));
                }
              });
        });
  }

  /** Prints measured speeds in the format in which they are read. */
  public void csv(List<MeasuredSpeed> rows) {
    Csv csv = new Csv(out);
    csv.row(MeasuredSpeeds.COLUMNS.toArray());
    for (MeasuredSpeed row : rows) {
      csv.row(
          row.model(),
          row.gpu().name(),
          row.gpus(),
          row.precision(),
          row.batch(),
          row.sampleSize(),
          row.samplesPerSecond(),
          row.source().name(),
          row.source().date(),
          row.source().unverified() ? true : null);
    }
  }

  private static void describe(Json json, ModelPreset preset, Set<String> gpus) throws IOException {
    json.put("name", preset.name());
    json.put("for", preset.title());
    json.put("parameters", parameters(preset));
    json.put("flopPerSample", preset.shape().flopPerSample());
    json.put(
        "activationBytes",
        preset.shape().activations() == null ? null : preset.shape().activations().bytes());
    json.put("batch", preset.batch());
    json.put("sampleSize", preset.shape().sampleSize());
    json.put("precision", preset.precision().toString());
    json.put("source", preset.source());
    json.texts("measuredOn", gpus);
  }

  private static double parameters(ModelPreset preset) {
    ModelSize size = preset.shape().size();
    return size == null ? 0 : size.parameters();
  }

  private static double orZero(@Nullable Double value) {
    return value == null ? 0 : value;
  }

  private static Set<String> measured(ModelPreset preset, Map<String, Set<String>> gpus) {
    return gpus.getOrDefault(ModelNames.spelling(preset.shape().name()), Set.of());
  }

  private static Map<String, Set<String>> gpus() {
    Map<String, Set<String>> gpus = new HashMap<>();
    for (MeasuredSpeed row : MeasuredSpeeds.builtIn()) {
      gpus.computeIfAbsent(ModelNames.spelling(row.model()), model -> new TreeSet<>())
          .add(row.gpu().name());
    }
    return gpus;
  }
}
