package io.deepvm.catalog;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds reference data beside the project, which a clean clone does not have. */
public final class Shared {

  private Shared() {}

  /** Returns the path below the shared folder, or skips the test when it is not there. */
  public static Path path(String below) {
    Path path = Path.of(System.getProperty("deepvm.root", "."), "..", "shared").resolve(below);
    if (!Files.exists(path)) {
      path = Path.of(System.getProperty("deepvm.root", "."), "..", "..", "shared").resolve(below);
    }
    assumeTrue(Files.exists(path), "no reference data at " + path);
    return path;
  }
}
