package io.deepvm.catalog;

import java.util.regex.Pattern;

/** Names by pattern: a star stands for any characters, and case does not matter. */
final class Glob {

  private Glob() {}

  /** Returns the pattern compiled; it must match a whole name. */
  static Pattern of(String text) {
    StringBuilder regex = new StringBuilder();
    for (String literal : text.isEmpty() ? new String[] {"", ""} : text.split("\\*", -1)) {
      regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(literal));
    }
    return Pattern.compile(regex.toString(), Pattern.CASE_INSENSITIVE);
  }
}
