package io.deepvm.catalog;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The reference data that lies beside a development checkout; tests of it skip without it. */
final class SharedData {

  private SharedData() {}

  static List<NamedCsvRecord> csv(String path) throws IOException {
    return read(existing(path));
  }

  /** Returns the rows of every cloud's catalog, by cloud. */
  static Map<String, List<NamedCsvRecord>> catalogs() throws IOException {
    Map<String, List<NamedCsvRecord>> byCloud = new TreeMap<>();
    try (Stream<Path> files = Files.list(existing("data/catalog"))) {
      for (Path file : files.toList()) {
        String name = String.valueOf(file.getFileName());
        byCloud.put(name.substring(0, name.indexOf('.')), read(file));
      }
    }
    return byCloud;
  }

  private static Path existing(String path) {
    Path found = Path.of(System.getProperty("deepvm.root", "."), "../shared", path).normalize();
    assumeTrue(Files.exists(found), "no shared reference data");
    return found;
  }

  private static List<NamedCsvRecord> read(Path file) throws IOException {
    try (var reader = CsvReader.builder().ofNamedCsvRecord(file)) {
      return reader.stream().toList();
    }
  }
}
