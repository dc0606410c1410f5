package io.deepvm.catalog.speed;

import java.util.Locale;

/** How sources spell the names of models. */
public final class ModelNames {

  private ModelNames() {}

  /** Returns the name without what sources disagree on: case and all but letters and digits. */
  public static String spelling(String name) {
    StringBuilder kept = new StringBuilder(name.length());
    for (char c : name.toLowerCase(Locale.ROOT).toCharArray()) {
      if (Character.isLetterOrDigit(c)) {
        kept.append(c);
      }
    }
    return kept.toString();
  }
}
