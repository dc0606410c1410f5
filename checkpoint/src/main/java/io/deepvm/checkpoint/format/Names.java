package io.deepvm.checkpoint.format;

import io.deepvm.base.BadInput;
import java.util.regex.Pattern;

/** The names that become files and folders: none of them can leave its folder. */
final class Names {

  private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  private Names() {}

  /** Returns the name if it is safe as a file name. */
  static String check(String what, String name) {
    if (!SAFE.matcher(name).matches()) {
      throw new BadInput(
          "The name '%s' cannot be that of a %s."
              .formatted(name.length() > 100 ? name.substring(0, 100) + "..." : name, what),
          "Maybe use at most 100 letters, digits, '.', '_' and '-', starting with a letter or"
              + " digit.");
    }
    return name;
  }
}
