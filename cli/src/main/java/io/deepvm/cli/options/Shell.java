package io.deepvm.cli.options;

import java.util.Locale;

/** A shell that picocli's completion script serves; the script distinguishes the two. */
public enum Shell {
  BASH,
  ZSH;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
