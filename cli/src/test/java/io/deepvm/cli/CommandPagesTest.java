package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The reference pages that are made from the program are those of this program. */
class CommandPagesTest {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", ".."));
  private static final Path FOLDER = ROOT.resolve(CommandPages.FOLDER);

  /** Writes the pages when it is started with -Ddocs.write=true, else compares them. */
  @Test
  void thePageOfEachCommandIsCurrent() throws IOException {
    Map<String, String> pages = CommandPages.all();
    if (Boolean.getBoolean("docs.write")) {
      write(pages);
    }
    try (Stream<Path> files = Files.list(FOLDER)) {
      assertThat(files.map(f -> f.getFileName().toString()).collect(Collectors.toSet()))
          .isEqualTo(pages.keySet());
    }
    for (Map.Entry<String, String> page : pages.entrySet()) {
      assertThat(Files.readString(FOLDER.resolve(page.getKey())))
          .as("%s; bench/docs-refresh writes it anew", page.getKey())
          .isEqualTo(page.getValue());
    }
  }

  @Test
  void thePageOfEventsIsCurrent() throws IOException {
    Path page = ROOT.resolve(EventsPage.FILE);
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(page, EventsPage.text(ROOT));
    }
    assertThat(Files.readString(page))
        .as("bench/docs-refresh writes it anew")
        .isEqualTo(EventsPage.text(ROOT));
  }

  private static void write(Map<String, String> pages) throws IOException {
    Files.createDirectories(FOLDER);
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path old : files.toList()) {
        Files.delete(old);
      }
    }
    for (String name : new TreeSet<>(pages.keySet())) {
      Files.writeString(FOLDER.resolve(name), pages.get(name));
    }
  }
}
