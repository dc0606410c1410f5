package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Commands that documents mention within a sentence exist, and have the options named there. */
class DocumentedOptionsTest {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", ".."));
  private static final Pattern MENTION = Pattern.compile("`(?:\\./)?deepvm ([a-z][^`\n]*)`");

  private final CommandLine commands =
      Main.commandLine(
          new Terminal(
              new PrintWriter(Writer.nullWriter()),
              new PrintWriter(Writer.nullWriter()),
              false,
              false,
              false,
              Clock.systemUTC()));

  @Test
  void everyCommandAndOptionOfASentenceExists() throws IOException {
    int mentions = 0;
    for (Path page : pages()) {
      Matcher mention = MENTION.matcher(Files.readString(page));
      while (mention.find()) {
        mentions++;
        check(ROOT.relativize(page) + ": " + mention.group(), mention.group(1));
      }
    }
    assertThat(mentions).isGreaterThan(10);
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  /** Follows the words down to a command; of several with a bar between them, each. */
  private void check(String mention, String text) {
    List<CommandLine> meant = List.of(commands);
    for (String word : text.split(" -- ", 2)[0].split("\\s+", -1)) {
      if (word.startsWith("--")) {
        String option = word.replaceAll("[^a-z0-9-].*", "");
        assertThat(meant)
            .as(mention)
            .allMatch(command -> command.getCommandSpec().findOption(option) != null);
      } else if (meant.stream().noneMatch(command -> command.getSubcommands().isEmpty())) {
        List<CommandLine> below = new ArrayList<>();
        for (String name : word.split("\\|", -1)) {
          below.add(meant.get(0).getSubcommands().get(name));
        }
        assertThat(below).as(mention).doesNotContainNull();
        meant = below;
      }
    }
  }
}
