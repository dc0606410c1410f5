package io.deepvm.cli.options;

import java.util.Locale;

/** A shell that picocli's completion script serves; the script tells the two apart itself. */
public enum Shell {
  BASH,
  ZSH;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
