package io.deepvm.workload.averaging;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads the tables packed with the code: CSV with comment lines, a header and no quotes. */
public final class Resource {

  private Resource() {}

  static List<String[]> rows(String name) {
    return rows(Resource.class, name);
  }

  /** Returns the rows below the header of a table that is packed beside a class. */
  public static List<String[]> rows(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The table %s is not packed.".formatted(name));
      }
      return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
          .lines()
          .filter(line -> !line.startsWith("#"))
          .skip(1)
          .map(line -> line.split(",", -1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
