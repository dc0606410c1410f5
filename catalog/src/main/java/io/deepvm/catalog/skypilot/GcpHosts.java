package io.deepvm.catalog.skypilot;

import io.deepvm.catalog.skypilot.GcpParts.GpuPart;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which of GCP's hosts go with which GPUs. */
final class GcpHosts {

  /** Families that are never rented without their GPUs. */
  private static final Set<String> GPU_FAMILIES = Set.of("a2", "a3", "a4", "a4x", "g2", "g4");

  /** GPUs by the type's name up to its last dash, where that names the kind. */
  private static final Map<String, String> KINDS =
      Map.of(
          "a2-highgpu", "A100",
          "a2-megagpu", "A100",
          "a2-ultragpu", "A100-80GB",
          "a3-edgegpu", "H100",
          "a3-highgpu", "H100",
          "a3-megagpu", "H100-MEGA",
          "a3-ultragpu", "H200",
          "a4-highgpu", "B200");

  /** GPUs by the rest of those names. */
  private static final Map<String, Integer> SIZES =
      Map.of("1g", 1, "2g", 2, "4g", 4, "8g", 8, "16g", 16);

  /** GPUs by vCPUs on G2; the other sizes have one. */
  private static final Map<String, Integer> L4_COUNTS = Map.of("24", 2, "48", 4, "96", 8);

  /** GPUs by vCPUs on G4; smaller sizes rent a slice, which the file does not price. */
  private static final Map<String, Integer> RTX_COUNTS =
      Map.of("48", 1, "96", 2, "192", 4, "384", 8);

  /** vCPUs of the N1 host that we put under each GPU, by kind: our choice, within GCP's limits. */
  private static final Map<String, Integer> N1_VCPUS =
      Map.of("T4", 4, "P4", 4, "V100", 8, "P100", 8);

  private static final int LARGEST_N1 = 96;

  private GcpHosts() {}

  static boolean needsGpu(String type) {
    int dash = type.indexOf('-');
    return dash > 0 && GPU_FAMILIES.contains(type.substring(0, dash));
  }

  /** Returns the GPUs built into a type, or null when they are not known. */
  static @Nullable GpuPart gpuOf(String type) {
    String name = type.endsWith("-nolssd") ? type.substring(0, type.lastIndexOf('-')) : type;
    int dash = name.lastIndexOf('-');
    String series = name.substring(0, dash);
    String size = name.substring(dash + 1);
    if (series.equals("g2-standard")) {
      return new GpuPart("L4", L4_COUNTS.getOrDefault(size, 1));
    }
    if (series.equals("g4-standard")) {
      Integer count = RTX_COUNTS.get(size);
      return count == null ? null : new GpuPart("RTXPRO6000", count);
    }
    String kind = KINDS.get(series);
    return kind == null || !SIZES.containsKey(size) ? null : new GpuPart(kind, SIZES.get(size));
  }

  /** Returns the N1 type to attach the GPUs to, or null for GPUs that N1 does not take. */
  static @Nullable String hostOf(GpuPart part) {
    Integer vcpus = N1_VCPUS.get(part.gpu());
    return vcpus == null ? null : "n1-standard-" + (int) Math.min(LARGEST_N1, vcpus * part.count());
  }
}
