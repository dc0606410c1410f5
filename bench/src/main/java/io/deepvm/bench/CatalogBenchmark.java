package io.deepvm.bench;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reading catalogs, beside the limit of reading the same files line by line and keeping nothing.
 */
@State(Scope.Benchmark)
@Fork(value = 1, jvmArgs = "-Xmx2g")
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
public class CatalogBenchmark {

  /** A folder of downloaded CSV files. */
  @Param("../shared/data/catalog")
  public String folder = ".";

  /** The built-in snapshot, from its compressed resource. */
  @Benchmark
  public Catalog snapshot() {
    return Catalogs.load(Catalogs.DEFAULT);
  }

  /** All CSV files of the folder, read, joined and checked. */
  @Benchmark
  public Catalog importFolder() {
    return Catalogs.load(folder);
  }

  /** The limit: the lines of the same files. */
  @Benchmark
  public long linesOfFolder() {
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      List<Path> csv = files.filter(file -> file.toString().endsWith(".csv")).toList();
      long length = 0;
      for (Path file : csv) {
        try (Stream<String> lines = Files.lines(file)) {
          length += lines.mapToLong(String::length).sum();
        }
      }
      return length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
