package io.deepvm.catalog.speed;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Precision;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Reads the published measurements and leaves out, by rule, what is not a clean speed. */
final class PublishedSpeeds {

  /** The batch of the script's command line, which its result files do not repeat. */
  private static final int RYUJAEHUN_BATCH = 12;

  private static final MathContext FIVE_DIGITS = new MathContext(5);
  private static final Pattern ONE_NUMBER = Pattern.compile("\\d+(\\.0)?");
  private static final Pattern MEMORY = Pattern.compile("(16|32|40|80) ?GB?");
  private static final Pattern CONTAINER = Pattern.compile("(2\\d)\\.(\\d\\d)[. ]");

  private final Map<String, Map<CleaningRule, Integer>> applied = new TreeMap<>();
  private final List<MeasuredSpeed> speeds = new ArrayList<>();

  /** Returns how often each rule was applied, by source. */
  Map<String, Map<CleaningRule, Integer>> applied() {
    return applied;
  }

  /** Returns all speeds that the rules leave, in a stable order. */
  List<MeasuredSpeed> read(Path shared) throws IOException {
    for (NamedCsvRecord row : csv(shared.resolve("measured_training_throughput.csv.gz"))) {
      switch (row.getField("source")) {
        case "timm" -> timm(row);
        case "gavel" -> gavel(row);
        case "ryujaehun" -> ryujaehun(row);
        case "cm-dare" -> cmDare(row);
        case "llm-foundry" -> llmFoundry(row);
        case "megatron-bridge" -> megatron(row);
        case "nv-dle" -> examples(row);
        default -> {
          // MLPerf has a file of its own; the licence of sia is not stated.
        }
      }
    }
    MlperfRuns mlperf = new MlperfRuns(this);
    for (NamedCsvRecord row : csv(shared.resolve("mlperf_training.csv"))) {
      mlperf.add(row);
    }
    for (NamedCsvRecord row : csv(shared.resolve("profet_cnn_training_aws.csv"))) {
      add(
          row.getField("model"),
          row.getField("gpu"),
          1,
          Precision.FP32,
          row.getField("batch"),
          row.getField("image_px"),
          number(row.getField("samples_per_s")),
          new SpeedSource("profet", "2021", false));
    }
    MulticloudStudy.SINGLE_NODES.forEach(speeds::add);
    return new SpeedCleaning(this::leaveOut).clean(speeds);
  }

  private void timm(NamedCsvRecord row) {
    SpeedSource source = new SpeedSource("timm", "2022", false);
    if (!row.getField("precision").equals("amp-nchw")) {
      leaveOut(source, CleaningRule.OTHER_LAYOUT);
      return;
    }
    add(
        row.getField("model"),
        row.getField("gpu"),
        1,
        Precision.FP16,
        row.getField("batch_per_gpu"),
        row.getField("seq_or_img"),
        number(row.getField("throughput")),
        source);
  }

  private void gavel(NamedCsvRecord row) {
    SpeedSource source = new SpeedSource("gavel", "2020", false);
    if (row.getField("gpu").endsWith("_unconsolidated")) {
      leaveOut(source, CleaningRule.SPREAD_PLACEMENT);
    } else if (row.getField("batch_per_gpu").isEmpty()) {
      leaveOut(source, CleaningRule.NOT_STATED);
    } else {
      int gpus = Integer.parseInt(row.getField("num_gpus"));
      double batch = number(row.getField("batch_per_gpu"));
      add(
          row.getField("model"),
          row.getField("gpu"),
          gpus,
          Precision.FP32,
          row.getField("batch_per_gpu"),
          "",
          number(row.getField("throughput")) * batch,
          source);
    }
  }

  private void ryujaehun(NamedCsvRecord row) {
    SpeedSource source = new SpeedSource("ryujaehun", "2021", false);
    if (row.getField("precision").equals("double")) {
      leaveOut(source, CleaningRule.DOUBLE);
      return;
    }
    int gpus = Integer.parseInt(row.getField("num_gpus"));
    String gpu =
        Map.of("2080ti(2)", "RTX2080Ti", "dgx-a100", "A100")
            .getOrDefault(row.getField("gpu"), row.getField("gpu"));
    // cuDNN runs 32-bit convolutions in tf32 where the GPU has it.
    Precision precision =
        row.getField("precision").equals("half")
            ? Precision.FP16
            : gpu.equals("A100") ? Precision.TF32 : Precision.FP32;
    add(
        row.getField("model"),
        gpu,
        gpus,
        precision,
        String.valueOf(RYUJAEHUN_BATCH),
        "224",
        RYUJAEHUN_BATCH * gpus / (number(row.getField("throughput")) / 1e3),
        source);
  }

  private void cmDare(NamedCsvRecord row) {
    SpeedSource source = new SpeedSource("cm-dare", "2020", false);
    if (!row.getField("num_gpus").equals("1")) {
      leaveOut(source, CleaningRule.SEVERAL_NODES);
      return;
    }
    String[] folders = row.getField("path").split("/", -1);
    String model =
        folders[folders.length - 2]
            .replace("0lat_", "")
            .replaceAll("_?s?(k80|p100|v100|80worker1|100worker1)_?", "")
            .replaceAll("(ps2)?worker1$", "");
    add(
        model,
        row.getField("gpu").toUpperCase(Locale.ROOT),
        1,
        Precision.FP32,
        "128",
        "32",
        number(row.getField("throughput")) * 128,
        source);
  }

  private void llmFoundry(NamedCsvRecord row) {
    SpeedSource source = new SpeedSource("llm-foundry", "2024", false);
    int gpus = Integer.parseInt(row.getField("num_gpus"));
    if (gpus > 8) {
      leaveOut(source, CleaningRule.SEVERAL_NODES);
      return;
    }
    String gpu =
        Map.of("a100_40gb", "A100", "a100_80gb", "A100-80GB", "h100_80gb", "H100")
            .getOrDefault(row.getField("gpu"), row.getField("gpu"));
    add(
        row.getField("model"),
        gpu,
        gpus,
        row.getField("precision").endsWith("fp8") ? Precision.FP8 : Precision.BF16,
        row.getField("batch_per_gpu"),
        row.getField("seq_or_img"),
        number(row.getField("throughput")) / number(row.getField("seq_or_img")),
        source);
  }

  private void megatron(NamedCsvRecord row) {
    Matcher container = CONTAINER.matcher(row.getField("note"));
    String date =
        container.find() ? "20%s-%s".formatted(container.group(1), container.group(2)) : "2026";
    SpeedSource source = new SpeedSource("megatron-bridge", date, false);
    int gpus = Integer.parseInt(row.getField("num_gpus"));
    Precision precision =
        switch (row.getField("precision")) {
          case "BF16" -> Precision.BF16;
          case "FP8", "MXFP8", "FP8-CS", "FP8-MX" -> Precision.FP8;
          default -> null;
        };
    if (gpus > 8) {
      leaveOut(source, CleaningRule.SEVERAL_NODES);
    } else if (precision == null || row.getField("gpu").isEmpty()) {
      leaveOut(source, CleaningRule.NOT_STATED);
    } else {
      add(
          row.getField("model"),
          row.getField("gpu").replace("DGX-", ""),
          gpus,
          precision,
          row.getField("batch_per_gpu"),
          row.getField("seq_or_img"),
          number(row.getField("throughput")) * gpus / number(row.getField("seq_or_img")),
          source);
    }
  }

  private void examples(NamedCsvRecord row) {
    String[] folders = row.getField("model").split("/", -1);
    String name = folders[folders.length - 1];
    SpeedSource source =
        new SpeedSource("nv-" + folders[0].toLowerCase(Locale.ROOT), "2023", false);
    String unit = row.getField("unit").toLowerCase(Locale.ROOT);
    Gpu gpu = examplesGpu(row.getField("gpu"));
    Precision precision = examplesPrecision(unit, row.getField("precision"));
    if (unit.contains("mol") || unit.contains("mels") || unit.contains("tok")) {
      leaveOut(source, CleaningRule.OTHER_UNIT);
    } else if (gpu == null) {
      leaveOut(source, CleaningRule.OTHER_ACCELERATOR);
    } else if (precision == null || !ONE_NUMBER.matcher(row.getField("num_gpus")).matches()) {
      leaveOut(source, CleaningRule.NOT_STATED);
    } else if (Integer.parseInt(row.getField("num_gpus")) > 8) {
      leaveOut(source, CleaningRule.SEVERAL_NODES);
    } else {
      add(
          Map.of("RN50v1.5", "resnet50", "resnet50v1.5", "resnet50").getOrDefault(name, name),
          gpu.name(),
          Integer.parseInt(row.getField("num_gpus")),
          precision,
          batch(row.getField("batch_per_gpu")),
          row.getField("seq_or_img"),
          number(row.getField("throughput")),
          source);
    }
  }

  private static @Nullable Precision examplesPrecision(String unit, String stated) {
    if (unit.contains("xla") || unit.contains("asp")) {
      return null;
    }
    // the unit is the table's own heading, and right where the two differ
    return unit.contains("tf32")
        ? Precision.TF32
        : unit.contains("fp32")
            ? Precision.FP32
            : unit.contains("mixed") || unit.contains("bf16") || stated.equals("mixed")
                ? Precision.FP16
                : null;
  }

  private static @Nullable Gpu examplesGpu(String text) {
    Matcher memory = MEMORY.matcher(text);
    if (!memory.find()) {
      return null;
    }
    String size = memory.group(1);
    if (text.contains("A100")) {
      return Hardware.gpu(size.equals("80") ? "A100-80GB" : "A100");
    }
    return text.contains("V100") || text.contains("DGX-1") || text.contains("DGX-2 ")
        ? Hardware.gpu(size.equals("32") ? "V100-32GB" : "V100")
        : null;
  }

  private static String batch(String text) {
    String plain = text.replaceAll("(?<=\\d),(?=\\d{3}\\b)", "").strip();
    return plain.endsWith("k")
        ? String.valueOf(1024 * Integer.parseInt(plain.substring(0, plain.length() - 1)))
        : ONE_NUMBER.matcher(plain).matches() ? plain : "";
  }

  /** Adds a row as published; fields that are not one whole number count as not stated. */
  void add(
      String model,
      String gpuName,
      int gpus,
      Precision precision,
      String batch,
      String sampleSize,
      double speed,
      SpeedSource source) {
    Gpu gpu = Hardware.gpu(gpuName);
    if (gpu == null) {
      leaveOut(source, CleaningRule.OTHER_ACCELERATOR);
    } else if (!(speed > 0)) {
      leaveOut(source, CleaningRule.NO_SPEED);
    } else {
      speeds.add(
          new MeasuredSpeed(
              model,
              gpu,
              gpus,
              precision,
              whole(batch),
              whole(sampleSize),
              new BigDecimal(speed).round(FIVE_DIGITS).doubleValue(),
              source));
    }
  }

  void leaveOut(SpeedSource source, CleaningRule rule) {
    applied.computeIfAbsent(source.name(), name -> new TreeMap<>()).merge(rule, 1, Integer::sum);
  }

  private static @Nullable Integer whole(String text) {
    return ONE_NUMBER.matcher(text).matches() ? (int) Double.parseDouble(text) : null;
  }

  static double number(String text) {
    return text.isEmpty() ? 0 : Double.parseDouble(text);
  }

  private static List<NamedCsvRecord> csv(Path file) throws IOException {
    try (InputStream raw = Files.newInputStream(file);
        InputStream bytes = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
        Reader text = new InputStreamReader(bytes, StandardCharsets.UTF_8);
        var reader = CsvReader.builder().ofNamedCsvRecord(text)) {
      return reader.stream().toList();
    }
  }
}
