package io.deepvm.cli;

import io.deepvm.cli.console.Terminal;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The reference pages of commands, made from the command line itself. */
final class CommandPages {

  /** The folder of the pages below the project's. */
  static final String FOLDER = "docs/reference/commands";

  private CommandPages() {}

  /** Returns the text of each page by its file name, the index first. */
  static Map<String, String> all() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    CommandLine root =
        Main.commandLine(new Terminal(nowhere, nowhere, false, false, false, Clock.systemUTC()));
    Map<String, String> pages = new LinkedHashMap<>();
    StringBuilder index =
        new StringBuilder(
            """
            # Commands

            One page a command, made from the program: options, defaults, examples.
            What holds for all commands: [the command line](../command-line.md).

            | command | does |
            |---|---|
            """);
    for (CommandLine command : shown(root)) {
      String name = command.getCommandName();
      index.append(
          "| [`%s`](%s.md) | %s |%n"
              .formatted(name, name, cell(description(command.getCommandSpec()))));
      pages.put(name + ".md", page(command));
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("README.md", index.toString());
    all.putAll(pages);
    return all;
  }

  private static List<CommandLine> shown(CommandLine command) {
    return command.getSubcommands().values().stream()
        .filter(below -> !below.getCommandSpec().usageMessage().hidden())
        .distinct()
        .toList();
  }

  private static String page(CommandLine command) {
    StringBuilder page = new StringBuilder();
    append(command, 1, page);
    return page.append("\n[All commands](README.md)\n").toString();
  }

  private static void append(CommandLine command, int depth, StringBuilder page) {
    CommandSpec spec = command.getCommandSpec();
    page.append("#".repeat(depth)).append(' ').append(spec.qualifiedName()).append("\n\n");
    for (String line : spec.usageMessage().description()) {
      page.append(text(line)).append('\n');
    }
    List<String> footer =
        Arrays.stream(spec.usageMessage().footer())
            .map(CommandPages::text)
            .dropWhile(String::isBlank)
            .toList();
    if (!footer.isEmpty()) {
      // Indented, not fenced: DocumentedCommandsIT tries these lines as help texts already.
      page.append('\n');
      footer.forEach(
          line -> page.append(line.isBlank() ? "" : "    " + line.stripTrailing()).append('\n'));
    }
    List<String> rows = new ArrayList<>();
    for (ArgSpec argument : spec.positionalParameters()) {
      if (!argument.hidden()) {
        rows.add(row("`" + argument.paramLabel() + "`", argument));
      }
    }
    for (OptionSpec option : spec.options()) {
      if (!option.hidden() && !option.usageHelp() && !option.versionHelp()) {
        rows.add(row("`" + name(option) + "`", option));
      }
    }
    if (!rows.isEmpty()) {
      page.append("\n| option | meaning |\n|---|---|\n");
      rows.stream().sorted().forEach(page::append);
    }
    for (CommandLine below : shown(command)) {
      page.append('\n');
      append(below, depth + 1, page);
    }
  }

  private static String name(OptionSpec option) {
    String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    return option.longestName() + label;
  }

  private static String row(String name, ArgSpec argument) {
    String meaning = String.join(" ", Arrays.asList(argument.description()));
    String value = argument.defaultValue();
    meaning = meaning.replace("${DEFAULT-VALUE}", value == null ? "none" : value);
    meaning = meaning.replace("${COMPLETION-CANDIDATES}", candidates(argument));
    boolean required = argument.required() && argument.group() == null;
    return "| %s | %s |%n"
        .formatted(cell(name), cell(text(meaning) + (required ? " Required." : "")));
  }

  private static String candidates(ArgSpec argument) {
    if (argument.completionCandidates() == null) {
      return "";
    }
    List<String> all = new ArrayList<>();
    argument.completionCandidates().forEach(all::add);
    return String.join(", ", all);
  }

  private static String description(CommandSpec spec) {
    String[] lines = spec.usageMessage().description();
    return lines.length == 0 ? "" : text(lines[0]);
  }

  /** Returns what picocli prints for a line of a help text. */
  private static String text(String line) {
    return line.replace("%n", " ").replace("%%", "%");
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("\n", " ").strip();
  }
}
