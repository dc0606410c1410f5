package io.deepvm.catalog.skypilot;

import java.util.Map;

/** Puts right what SkyPilot's file for Azure says of GPUs. */
final class AzureGpus {

  static final String CLOUD = "azure";

  /**
   * GPUs by type in Azure's documentation: the NVv4 sizes rent slices of an MI25, and the ND H100
   * v5 has eight H100s, not twelve.
   */
  private static final Map<String, Double> COUNTS =
      Map.of(
          "Standard_NV4as_v4", 0.125,
          "Standard_NV8as_v4", 0.25,
          "Standard_NV16as_v4", 0.5,
          "Standard_ND96isr_H100_v5", 8.0);

  private AzureGpus() {}

  /** Returns the row with the right GPU count; the same row where the file is right. */
  static SkyPilotRow correct(SkyPilotRow row) {
    Double count = COUNTS.get(row.type());
    return count == null || row.gpu().isEmpty() || count == row.gpuCount()
        ? row
        : row.withGpuCount(count);
  }

  /** Whether the type has a GPU or an FPGA that the row does not name: all of Azure's N series. */
  static boolean lacksItsGpu(SkyPilotRow row) {
    return row.gpu().isEmpty() && row.type().startsWith("Standard_N");
  }
}
