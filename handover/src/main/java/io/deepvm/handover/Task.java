package io.deepvm.handover;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What to train, beside the plan.
 *
 * @param name what other tools call it
 * @param command the program and its arguments, on every worker
 * @param setup a shell command that prepares a machine; empty for none
 * @param workdir a folder to send along; null for none
 * @param image the container image; null where none is given
 * @param processes the processes of each node; null for one a GPU
 */
public record Task(
    String name,
    List<String> command,
    String setup,
    @Nullable String workdir,
    @Nullable String image,
    @Nullable Integer processes) {

  private static final int LONGEST_NAME = 40;

  public Task {
    command = List.copyOf(command);
  }

  /** Returns the name in lower-case letters, digits and dashes, which every tool allows. */
  String plainName() {
    String plain =
        name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-+|-+$", "");
    String shorter = plain.substring(0, Math.min(plain.length(), LONGEST_NAME));
    String clean = shorter.replaceAll("-+$", "");
    return clean.isEmpty() || Character.isDigit(clean.charAt(0)) ? "deepvm-" + clean : clean;
  }

  /** Returns the command as one line of a POSIX shell. */
  String commandLine() {
    return command.stream().map(Task::quoted).collect(Collectors.joining(" "));
  }

  /** Returns the text as one word of a POSIX shell. */
  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./=:@%+,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
