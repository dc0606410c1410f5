package io.deepvm.catalog;

import io.deepvm.units.Bandwidth;
import io.deepvm.units.DataSize;
import org.jspecify.annotations.Nullable;

/** Completes what a catalog states of a machine with what the hardware table knows. */
public final class MachineFacts {

  /** Vendors round memory sizes, so a tenth apart is still the same GPU. */
  private static final double SAME_MEMORY = 0.10;

  private MachineFacts() {}

  /** Returns the GPU of this name; one whose memory is another is a GPU we know nothing of. */
  public static Gpu gpu(String name, @Nullable DataSize stated) {
    Gpu known = Hardware.gpu(name);
    if (stated == null) {
      return known == null ? new Gpu(name, null, null, null, null) : known;
    }
    if (known != null && fits(known, stated)) {
      return known;
    }
    // Some catalogs call every A100 an A100, whatever its memory.
    Gpu sized = Hardware.gpu(name + "-" + Math.round(stated.gib()) + "GB");
    return sized != null && fits(sized, stated) ? sized : new Gpu(name, stated, null, null, null);
  }

  private static boolean fits(Gpu gpu, DataSize stated) {
    DataSize memory = gpu.memory();
    return memory != null
        && Math.abs(memory.bytes() - stated.bytes())
            <= SAME_MEMORY * Math.max(memory.bytes(), stated.bytes());
  }

  /** Returns the known baseline network bandwidth of an instance type, or null. */
  public static @Nullable Bandwidth network(String cloud, String instanceType) {
    return Hardware.network(cloud, host(instanceType));
  }

  // "n1-standard-4+1xT4" is a host with a GPU attached.
  private static String host(String instanceType) {
    int plus = instanceType.indexOf('+');
    return plus < 0 ? instanceType : instanceType.substring(0, plus);
  }
}
