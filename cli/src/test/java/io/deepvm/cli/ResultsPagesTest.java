package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of measurements in pages are those of bench/results. */
class ResultsPagesTest {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", ".."));
  private static final Path RESULTS = ROOT.resolve("bench/results");
  private static final Pattern TABLE =
      Pattern.compile("(?s)<!-- results: ([a-z0-9-]+) -->\n(.*?)<!-- end of results -->");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Prints the tables into the pages when it is started with -Ddocs.write=true. */
  @Test
  void everyTableIsThatOfItsResults() throws IOException {
    Set<String> printed = new HashSet<>();
    for (Path page : pages()) {
      String text = Files.readString(page);
      String current =
          TABLE
              .matcher(text)
              .replaceAll(
                  table -> {
                    printed.add(table.group(1));
                    return Matcher.quoteReplacement(
                        "<!-- results: %s -->\n%s<!-- end of results -->"
                            .formatted(table.group(1), table(table.group(1))));
                  });
      if (Boolean.getBoolean("docs.write")) {
        Files.writeString(page, current);
      }
      assertThat(Files.readString(page))
          .as("%s; bench/docs-refresh prints it anew", page)
          .isEqualTo(current);
    }
    try (Stream<Path> files = Files.list(RESULTS)) {
      assertThat(printed)
          .isEqualTo(
              files
                  .map(file -> file.getFileName().toString().replace(".json", ""))
                  .collect(Collectors.toSet()));
    }
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(PlainEnglish.pages(ROOT));
    pages.add(ROOT.resolve("bench/RESULTS.md"));
    return pages;
  }

  private static String table(String name) {
    try {
      JsonNode results = JSON.readTree(RESULTS.resolve(name + ".json").toFile());
      StringBuilder table = new StringBuilder();
      table.append(row(results.get("columns"), " ")).append(row(results.get("align"), ""));
      for (JsonNode row : results.get("rows")) {
        assertThat(row.size()).as(row.toString()).isEqualTo(results.get("columns").size());
        table.append(row(row, " "));
      }
      return table.toString();
    } catch (IOException e) {
      throw new AssertionError("The results '%s' cannot be read.".formatted(name), e);
    }
  }

  private static String row(JsonNode cells, String space) {
    List<String> texts = new ArrayList<>();
    cells.forEach(cell -> texts.add(space + cell.asText() + space));
    return "|" + String.join("|", texts) + "|\n";
  }
}
