package io.deepvm.catalog.speed;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.catalog.Precision;
import java.util.Map;
import java.util.Set;

/**
 * Takes the speeds of MLPerf training runs of one machine.
 *
 * <p>Submitters log speeds of the machine and of one GPU under the same key. A run's speed times
 * its time must be the samples that the benchmark takes to converge, which tells the two apart.
 */
final class MlperfRuns {

  /** Millions of samples until the target is met: the median of all runs on one machine. */
  private static final Map<String, Double> MILLIONS =
      Map.ofEntries(
          Map.entry("bert", 2.55),
          Map.entry("dlrm", 3776.0),
          Map.entry("dlrm_dcnv2", 3146.0),
          Map.entry("gnn", 84.0),
          Map.entry("rgat", 92.0),
          Map.entry("llama2_70b_lora", 0.0031),
          Map.entry("maskrcnn", 1.66),
          Map.entry("resnet", 45.4),
          Map.entry("ssd", 5.05),
          Map.entry("retinanet", 5.05),
          Map.entry("rnnt", 13.9),
          Map.entry("stable_diffusion", 2.04),
          Map.entry("unet3d", 0.396));

  private static final double NEAR = 1.6;

  private static final Map<String, String> NAMES =
      Map.of(
          "resnet", "resnet50",
          "bert", "bert-large",
          "ssd", "retinanet",
          "gnn", "rgat",
          "dlrm_dcnv2", "dlrm-dcnv2",
          "llama2_70b_lora", "llama2-70b-lora",
          "stable_diffusion", "stable-diffusion");

  /** What GPUs with fp8 train in fp8; the rest stays in 16 bits. */
  private static final Set<String> IN_FP8 = Set.of("bert", "llama2_70b_lora");

  private static final Map<String, String> DATES =
      Map.of(
          "2.1", "2022-11", "3.1", "2023-11", "4.0", "2024-06", "4.1", "2024-11", "5.0", "2025-06");

  private final PublishedSpeeds speeds;

  MlperfRuns(PublishedSpeeds speeds) {
    this.speeds = speeds;
  }

  void add(NamedCsvRecord row) {
    String round = row.getField("round");
    SpeedSource source = new SpeedSource("mlperf-v" + round, DATES.getOrDefault(round, ""), true);
    String benchmark = row.getField("benchmark");
    double speed = PublishedSpeeds.number(row.getField("throughput_median"));
    double seconds = 60 * PublishedSpeeds.number(row.getField("ttt_min_median"));
    if (!row.getField("nodes").equals("1")) {
      speeds.leaveOut(source, CleaningRule.SEVERAL_NODES);
    } else if (!(speed > 0) || row.getField("accelerators").isEmpty()) {
      speeds.leaveOut(source, CleaningRule.NO_SPEED);
    } else if (row.getField("throughput_source").equals("samples_count")) {
      speeds.leaveOut(source, CleaningRule.EVALUATION);
    } else if (!MILLIONS.containsKey(benchmark) || row.getField("global_batch").isEmpty()) {
      speeds.leaveOut(source, CleaningRule.NOT_STATED);
    } else {
      int gpus = Integer.parseInt(row.getField("accelerators"));
      double run = speed * seconds / (1e6 * MILLIONS.get(benchmark));
      if (!near(run) && near(run * gpus)) {
        speeds.leaveOut(source, CleaningRule.PER_GPU);
        speed *= gpus;
      } else if (!near(run)) {
        speeds.leaveOut(source, CleaningRule.MIXED_UNITS);
        return;
      }
      String gpu = gpu(row.getField("accelerator"));
      speeds.add(
          NAMES.getOrDefault(benchmark, benchmark),
          gpu,
          gpus,
          IN_FP8.contains(benchmark) && hasFp8(gpu) ? Precision.FP8 : Precision.FP16,
          perGpu(row.getField("global_batch"), gpus),
          row.getField("seq"),
          speed,
          source);
    }
  }

  private static boolean near(double ratio) {
    return ratio > 1 / NEAR && ratio < NEAR;
  }

  /** Several steps of a small batch are added up where the quotient is no whole number. */
  private static String perGpu(String globalBatch, int gpus) {
    double batch = Double.parseDouble(globalBatch) / gpus;
    return String.valueOf(Math.max(1, Math.round(batch)));
  }

  private static boolean hasFp8(String gpu) {
    return gpu.startsWith("H") || gpu.startsWith("B") || gpu.startsWith("G") || gpu.startsWith("M");
  }

  private static String gpu(String text) {
    String plain = text.replace("NVIDIA ", "").replace(" - ", "-").replace("80 GB", "80GB");
    if (plain.contains("B200-SXM")) {
      return "B200";
    } else if (plain.contains("GB200")) {
      return "GB200";
    } else if (plain.contains("H200")) {
      return plain.contains("NVL") ? "H200-NVL" : "H200";
    } else if (plain.contains("H100")) {
      return plain.contains("NVL") ? "H100-NVL" : plain.contains("PCIe") ? "H100-PCIe" : "H100";
    } else if (plain.contains("A100")) {
      return plain.contains("40GB") ? "A100" : "A100-80GB";
    } else if (plain.contains("MI3")) {
      return plain.contains("MI325X") ? "MI325X" : "MI300X";
    }
    return plain.replace("RTX A5000", "RTXA5000");
  }
}
