package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reference pages have each key that a reader accepts, and each metric that is shown. */
class ReferenceKeysTest {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", ".."));

  /** The list of keys behind a check of unknown keys, or of a constant. */
  private static final Pattern KEYS =
      Pattern.compile("(?s)(?:checkKeys\\([^;]*?|KEYS =\\s*)List\\.of\\(([^)]*)\\)");

  private static final Pattern TEXT = Pattern.compile("\"([A-Za-z0-9]+)\"");
  private static final Pattern METRIC = Pattern.compile("registry,\\s*\"([a-z.]+)\"");

  @ParameterizedTest
  @CsvSource({
    "workload/src/main/java/io/deepvm/workload/JobFile.java, job-file.md, 30",
    "workload/src/main/java/io/deepvm/workload/ParameterServerKeys.java, job-file.md, 10",
    "cli/src/main/java/io/deepvm/cli/plan/ClusterFile.java, cluster-file.md, 5",
    "trainer/src/main/java/io/deepvm/trainer/job/TrainingJobFile.java, training-job.md, 10",
  })
  void everyKeyOfAFileIsOnItsPage(String source, String page, int least) throws IOException {
    Set<String> keys = new TreeSet<>();
    Matcher list = KEYS.matcher(Files.readString(ROOT.resolve(source)));
    while (list.find()) {
      TEXT.matcher(list.group(1)).results().map(text -> text.group(1)).forEach(keys::add);
    }
    assertThat(keys).hasSizeGreaterThanOrEqualTo(least);
    String text = Files.readString(ROOT.resolve("docs/reference").resolve(page));
    assertThat(keys).allMatch(key -> Pattern.compile("\\b" + key + "\\b").matcher(text).find());
  }

  @Test
  void everyMetricIsOnItsPage() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/reference/metrics.md"));
    for (String meters : List.of("EngineMeters", "AnchorMeters")) {
      Path source =
          ROOT.resolve("checkpoint/src/main/java/io/deepvm/checkpoint/metrics")
              .resolve(meters + ".java");
      List<String> names =
          METRIC
              .matcher(Files.readString(source))
              .results()
              .map(name -> name.group(1).replace('.', '_'))
              .toList();
      assertThat(names).hasSizeGreaterThan(5).allMatch(name -> page.contains("`" + name));
    }
  }
}
