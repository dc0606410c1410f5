package io.deepvm.base;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds what a misspelt name probably meant. */
public final class Suggestion {

  private Suggestion() {}

  /** Returns the known name nearest to the given one, or null when none is near. */
  public static @Nullable String nearest(String name, Collection<String> known) {
    String wanted = shorten(name).toLowerCase(Locale.ROOT);
    String best = null;
    int bestDistance = Math.max(2, wanted.length() / 3) + 1;
    for (String candidate : known) {
      String text = shorten(candidate).toLowerCase(Locale.ROOT);
      if (Math.abs(text.length() - wanted.length()) >= bestDistance) {
        continue;
      }
      int distance = editDistance(wanted, text);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** Returns "Maybe you meant x." or, when nothing is near, the given sentence. */
  public static String maybe(String name, Collection<String> known, String otherwise) {
    String nearest = nearest(name, known);
    return nearest == null ? otherwise : "Maybe you meant '%s'.".formatted(nearest);
  }

  // The distance is quadratic in the length, and a name may be a megabyte of garbage.
  private static String shorten(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100);
  }

  /** Returns the Levenshtein distance. */
  private static int editDistance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
