package io.deepvm.catalog.skypilot;

import java.util.List;
import java.util.Locale;

/** Separates GPUs from the other chips that catalogs call accelerators. */
final class Accelerators {

  private static final List<String> NOT_GPUS =
      List.of(
          "tpu", "inferentia", "trainium", "qualcomm", "virtex", "alveo", "fpga", "gaudi", "u30");

  private Accelerators() {}

  static boolean isGpu(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return NOT_GPUS.stream().noneMatch(lower::startsWith);
  }
}
