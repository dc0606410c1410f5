package io.deepvm.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command line as documents have it: words, quotes, variables in front, {@code >}, {@code &&},
 * {@code &} and comments. Anything else of a shell is refused, so that no line is misread.
 */
record ShellLine(List<Step> steps) {

  /**
   * One command.
   *
   * @param variables set for this command alone
   * @param target the file that gets its output; null for the terminal
   * @param background whether the next line does not wait for it
   */
  record Step(
      Map<String, String> variables,
      List<String> words,
      @Nullable String target,
      boolean background) {

    Step withWords(List<String> others) {
      return new Step(variables, List.copyOf(others), target, background);
    }
  }

  static ShellLine parse(String text) {
    return new Reader(text).read();
  }

  /** Reads one line from left to right. */
  private static final class Reader {

    private final String text;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final List<String> words = new ArrayList<>();
    private @Nullable String target;
    private boolean toTarget;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    ShellLine read() {
      while (at < text.length() && text.charAt(at) != '#') {
        char c = text.charAt(at);
        if (Character.isWhitespace(c)) {
          at++;
        } else if (text.startsWith("&&", at)) {
          at += 2;
          end(false);
        } else if (c == '&') {
          at++;
          end(true);
        } else if (c == '>') {
          at++;
          toTarget = true;
        } else {
          take(word());
        }
      }
      if (!words.isEmpty()) {
        end(false);
      }
      return new ShellLine(List.copyOf(steps));
    }

    private void take(String word) {
      if (toTarget) {
        target = word;
        toTarget = false;
      } else if (words.isEmpty() && word.matches("[A-Z_]+=.*")) {
        variables.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
      } else {
        words.add(word);
      }
    }

    private void end(boolean background) {
      if (words.isEmpty()) {
        throw new IllegalArgumentException("No command before position " + at + " of: " + text);
      }
      steps.add(new Step(Map.copyOf(variables), List.copyOf(words), target, background));
      variables.clear();
      words.clear();
      target = null;
    }

    private String word() {
      StringBuilder word = new StringBuilder();
      char quote = 0;
      for (; at < text.length(); at++) {
        char c = text.charAt(at);
        if (quote != 0) {
          if (c == quote) {
            quote = 0;
          } else {
            word.append(c);
          }
        } else if (c == '\'' || c == '"') {
          quote = c;
        } else if (Character.isWhitespace(c) || c == '&' || c == '>') {
          break;
        } else if ("*?$|;<`()\\[]{}!~".indexOf(c) >= 0) {
          throw new IllegalArgumentException("Unquoted '" + c + "' in: " + text);
        } else {
          word.append(c);
        }
      }
      if (quote != 0) {
        throw new IllegalArgumentException("A quote stays open in: " + text);
      }
      return word.toString();
    }
  }
}
