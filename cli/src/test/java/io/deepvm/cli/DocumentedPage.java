package io.deepvm.cli;

import io.deepvm.cli.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The commands that one page tells a user to type, in order.
 *
 * @param name the document's path, or the command whose help it is
 * @param help whether it is the help of a command
 */
record DocumentedPage(String name, boolean help, List<String> lines) {

  private static final String FENCE = "```";

  /** Returns all pages with commands: README first, then the documents, then the help texts. */
  static List<DocumentedPage> all(Path root) throws IOException {
    List<DocumentedPage> pages = new ArrayList<>();
    pages.add(ofDocument(root, root.resolve("README.md")));
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".md")).sorted().toList()) {
        pages.add(ofDocument(root, file));
      }
    }
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    addHelp(
        Main.commandLine(new Terminal(nowhere, nowhere, false, false, false, Clock.systemUTC())),
        pages);
    return pages.stream().filter(page -> !page.lines.isEmpty()).toList();
  }

  private static DocumentedPage ofDocument(Path root, Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    List<String> block = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(file)) {
      if (line.strip().startsWith(FENCE)) {
        if (inside && block.stream().anyMatch(DocumentedPage::startsDeepvm)) {
          lines.addAll(joined(block));
        }
        block.clear();
        inside = !inside;
      } else if (inside) {
        block.add(line);
      }
    }
    return new DocumentedPage(root.relativize(file).toString(), false, lines);
  }

  private static void addHelp(CommandLine command, List<DocumentedPage> pages) {
    List<String> footer = new ArrayList<>();
    boolean goesOn = false;
    for (String line : command.getCommandSpec().usageMessage().footer()) {
      if (goesOn || startsDeepvm(line)) {
        footer.add(line);
        goesOn = line.endsWith("\\");
      }
    }
    pages.add(
        new DocumentedPage(
            command.getCommandSpec().qualifiedName() + " --help", true, joined(footer)));
    for (CommandLine below : command.getSubcommands().values()) {
      addHelp(below, pages);
    }
  }

  private static boolean startsDeepvm(String line) {
    return line.strip().matches("(\\./)?deepvm .*");
  }

  /** Returns the lines without blank ones and comments, continued lines in one. */
  private static List<String> joined(List<String> block) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String part : block) {
      String text = part.strip();
      if (text.endsWith("\\")) {
        line.append(text, 0, text.length() - 1);
        continue;
      }
      line.append(text);
      if (!line.isEmpty() && line.charAt(0) != '#') {
        lines.add(line.toString());
      }
      line.setLength(0);
    }
    return lines;
  }
}
