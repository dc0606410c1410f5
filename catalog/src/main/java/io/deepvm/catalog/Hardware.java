package io.deepvm.catalog;

import io.deepvm.units.Bandwidth;
import org.jspecify.annotations.Nullable;

/** The project's own table of hardware facts, each with its source; what it lacks stays unknown. */
public final class Hardware {

  private Hardware() {}

  /** Returns the GPU known by this name or alias in any catalog's spelling, or null. */
  public static @Nullable Gpu gpu(String name) {
    return null;
  }

  /** Returns the baseline network bandwidth of an instance type, or null. */
  public static @Nullable Bandwidth network(String cloud, String instanceType) {
    return null;
  }

  /** Returns the measured copy rate between one GPU and host memory, slower direction, or null. */
  public static @Nullable Bandwidth deviceCopy(String cloud, String instanceType) {
    return null;
  }
}
