package io.deepvm.catalog.skypilot;

import io.deepvm.base.DataSize;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the memory of one GPU in the GpuInfo column: a Python dict, JSON, or only a name. */
final class GpuMemory {

  private static final String KEY = "SizeInMiB";

  /** Clouds whose files state the memory of all the GPUs where that of one belongs. */
  private static final Set<String> STATE_THE_TOTAL = Set.of("primeintellect", "vast");

  /** No GPU on offer has under 1 GiB, so a smaller figure is in GB (RunPod, Shadeform). */
  private static final long SMALLEST_MIB = 1024;

  private GpuMemory() {}

  /** Returns the memory of one whole GPU, or null where the column does not say. */
  static @Nullable DataSize ofOne(String cloud, String gpuInfo, double count) {
    long stated = firstNumberAfter(gpuInfo, gpuInfo.indexOf(KEY));
    if (stated <= 0) {
      return null;
    }
    double mib = stated < SMALLEST_MIB ? stated * 1024.0 : stated;
    // A slice of a GPU states the memory of the slice.
    double gpus = STATE_THE_TOTAL.contains(cloud) || count < 1 ? count : 1;
    return DataSize.ofGib(Math.rint(mib / gpus) / 1024);
  }

  private static long firstNumberAfter(String text, int from) {
    if (from < 0) {
      return -1;
    }
    int i = from + KEY.length();
    while (i < text.length() && "'\": ".indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    long number = 0;
    for (int digits = 0; i < text.length() && digits < 12; i++, digits++) {
      char character = text.charAt(i);
      if (character < '0' || character > '9') {
        break;
      }
      number = number * 10 + (character - '0');
    }
    return number;
  }
}
