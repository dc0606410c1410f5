package io.deepvm.cli.print;

/**
 * Emphasis for terminals that show it, plain text everywhere else; and how wide a table may be.
 *
 * @param width the characters of a line
 */
public record Paint(boolean colour, int width) {

  /** Makes a paint for lines of any width. */
  public Paint(boolean colour) {
    this(colour, Integer.MAX_VALUE);
  }

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
