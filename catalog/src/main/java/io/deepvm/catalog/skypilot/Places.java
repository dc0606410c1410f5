package io.deepvm.catalog.skypilot;

/** Makes region names that can stand between slashes and in patterns. */
final class Places {

  private Places() {}

  /** Turns "Denmark, DK, EU" into "Denmark-DK-EU" and ", US, NA" into "US-NA". */
  static String clean(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (Character.isLetterOrDigit(character) || character == '.' || character == '_') {
        clean.append(character);
      } else if (!clean.isEmpty() && clean.charAt(clean.length() - 1) != '-') {
        clean.append('-');
      }
    }
    int length = clean.length();
    return length > 0 && clean.charAt(length - 1) == '-'
        ? clean.substring(0, length - 1)
        : clean.toString();
  }
}
