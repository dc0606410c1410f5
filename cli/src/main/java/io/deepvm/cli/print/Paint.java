package io.deepvm.cli.print;

/** Emphasis for terminals that show it; plain text everywhere else. */
public record Paint(boolean colour) {

  /** What matters most. */
  public String strong(String text) {
    return paint("1", text);
  }

  /** What may be skipped. */
  public String faint(String text) {
    return paint("2", text);
  }

  private String paint(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
