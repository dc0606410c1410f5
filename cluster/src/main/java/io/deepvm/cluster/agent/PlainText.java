package io.deepvm.cluster.agent;

import java.util.regex.Pattern;

/** Text that cannot move a terminal's cursor, colour it or wipe it. */
final class PlainText {

  /** Escape sequences: control sequences, strings that end at a bell, and short ones. */
  private static final Pattern ESCAPE =
      Pattern.compile(
          "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]"
              + "|\\u001b[\\]P^_X][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?"
              + "|\\u001b[ -/]*[0-~]?");

  private PlainText() {}

  /** Returns the text without escape sequences, other control characters as ^G. */
  static String of(String text) {
    if (text.chars().noneMatch(PlainText::isControl)) {
      return text;
    }
    StringBuilder plain = new StringBuilder();
    for (char c : ESCAPE.matcher(text).replaceAll("").toCharArray()) {
      if (!isControl(c)) {
        plain.append(c);
      } else if (c < ' ') {
        plain.append('^').append((char) (c + '@'));
      } else {
        plain.append('\uFFFD');
      }
    }
    return plain.toString();
  }

  private static boolean isControl(int c) {
    return Character.isISOControl(c) && c != '\t';
  }
}
