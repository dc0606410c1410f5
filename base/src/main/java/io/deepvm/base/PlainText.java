package io.deepvm.base;

import java.util.regex.Pattern;

/** Text that cannot move a terminal's cursor, colour it, wipe it or turn its direction. */
public final class PlainText {

  /** Escape sequences: control sequences, strings that end at a bell, and short ones. */
  private static final Pattern ESCAPE =
      Pattern.compile(
          "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]"
              + "|\\u001b[\\]P^_X][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?"
              + "|\\u001b[ -/]*[0-~]?");

  private PlainText() {}

  /** Returns one line without escape sequences, other control characters as ^G. */
  public static String of(String text) {
    return of(text, false);
  }

  /** Returns the same for text of several lines, whose line ends stay. */
  public static String ofLines(String text) {
    return of(text, true);
  }

  /** Whether the text has characters that would do anything but show. */
  public static boolean isPlain(String text) {
    return text.chars().noneMatch(PlainText::isControl);
  }

  private static String of(String text, boolean lines) {
    if (isPlain(text)) {
      return text;
    }
    StringBuilder plain = new StringBuilder();
    for (char c : ESCAPE.matcher(text).replaceAll("").toCharArray()) {
      if (!isControl(c) || (lines && c == '\n')) {
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
    return (Character.isISOControl(c) && c != '\t') || turnsDirection(c);
  }

  /** Whether the character makes the text after it run the other way, so that it reads falsely. */
  private static boolean turnsDirection(int c) {
    return (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
  }
}
