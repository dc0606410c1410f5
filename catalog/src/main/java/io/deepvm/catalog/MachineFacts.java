package io.deepvm.catalog;

import io.deepvm.base.DataSize;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Completes what a catalog states of a machine with what the hardware table knows. */
public final class MachineFacts {

  /** Vendors round memory sizes, so a tenth apart is still the same GPU. */
  private static final double SAME_MEMORY = 0.10;

  private MachineFacts() {}

  /** Returns the GPU of this name; one whose memory is another is a GPU we know nothing of. */
  public static Gpu gpu(String name, @Nullable DataSize stated) {
    return gpu(Hardware.gpu(name), name, stated);
  }

  /** The same for a name as a cloud uses it, on one of its instance types. */
  public static Gpu gpu(String cloud, String instanceType, String name, @Nullable DataSize stated) {
    return gpu(Hardware.gpu(cloud, instanceType, name), name, stated);
  }

  private static Gpu gpu(@Nullable Gpu known, String name, @Nullable DataSize stated) {
    if (stated == null) {
      return known == null ? Gpu.unknown(name, null) : known;
    }
    // Some catalogs call every A100 an A100, whatever its memory.
    Gpu sized = Hardware.gpu(name + "-" + Math.round(stated.gib()) + "GB");
    return Stream.of(known, Hardware.gpu(name), sized)
        .filter(gpu -> gpu != null && fits(gpu, stated))
        .findFirst()
        .orElseGet(() -> Gpu.unknown(name, stated));
  }

  private static boolean fits(Gpu gpu, DataSize stated) {
    DataSize memory = gpu.memory();
    return memory != null
        && Math.abs(memory.bytes() - stated.bytes())
            <= SAME_MEMORY * Math.max(memory.bytes(), stated.bytes());
  }
}
