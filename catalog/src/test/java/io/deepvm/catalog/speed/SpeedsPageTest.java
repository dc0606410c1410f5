package io.deepvm.catalog.speed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page on speeds counts the rows of each source. */
class SpeedsPageTest {

  private static final Path PAGE =
      Path.of(System.getProperty("deepvm.root", ".."), "docs", "explanation", "speeds.md");

  /** A source, its licence and the number of its rows. */
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)`[^|]*\\|[^|]*\\| (\\d+) \\|.*");

  private static final Pattern SUM = Pattern.compile("holds (\\d+) rows");

  @Test
  void countsAreThoseOfTheTable() throws IOException {
    Map<String, Integer> stated = new TreeMap<>();
    int sum = 0;
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        stated.put(family(row.group(1)), Integer.valueOf(row.group(2)));
      }
      Matcher all = SUM.matcher(line);
      sum = all.find() ? Integer.parseInt(all.group(1)) : sum;
    }
    Map<String, Integer> counted = new TreeMap<>();
    MeasuredSpeeds.builtIn()
        .forEach(speed -> counted.merge(family(speed.source().name()), 1, Integer::sum));

    assertThat(stated).isEqualTo(counted);
    assertThat(sum).isEqualTo(MeasuredSpeeds.builtIn().size());
  }

  /** Rounds of MLPerf and NVIDIA's frameworks share a line. */
  private static String family(String source) {
    return source.startsWith("mlperf-") ? "mlperf" : source.startsWith("nv-") ? "nv" : source;
  }
}
