package io.deepvm.catalog.speed;

import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Precision;
import java.util.List;
import java.util.Objects;

/**
 * Machines alone in the study of training across clouds (PVLDB 17(6), 2024), by the clock on the
 * wall; the published figures leave waiting out.
 */
final class MulticloudStudy {

  static final List<MeasuredSpeed> SINGLE_NODES =
      List.of(
          row("convnext_large", "T4", 1, 36.8),
          row("xlm-roberta-large", "T4", 1, 139.2),
          row("convnext_large", "A10", 1, 91.9),
          row("xlm-roberta-large", "A10", 1, 293.4),
          row("resnet18", "A10", 1, 970.9),
          row("resnet50", "A10", 1, 547.9),
          row("resnet152", "A10", 1, 242.0),
          row("wide_resnet101_2", "A10", 1, 224.7),
          row("roberta-base", "A10", 1, 893.4),
          row("roberta-large", "A10", 1, 417.1),
          row("convnext_large", "RTX8000", 1, 86.8),
          row("xlm-roberta-large", "RTX8000", 1, 293.4),
          row("whisper-small", "A100", 1, 18.7),
          row("convnext_large", "V100-32GB", 8, 341.3),
          row("xlm-roberta-large", "V100-32GB", 8, 1137.5));

  private MulticloudStudy() {}

  private static MeasuredSpeed row(String model, String gpu, int gpus, double speed) {
    return new MeasuredSpeed(
        model,
        Objects.requireNonNull(Hardware.gpu(gpu)),
        gpus,
        Precision.FP16,
        32,
        null,
        speed,
        new SpeedSource("multicloud-study", "2023", false));
  }
}
