package io.deepvm.base;

/**
 * Something the user gave is wrong: the message names the value and the rule, the way out says what
 * to do instead.
 */
public final class BadInput extends RuntimeException {

  private final String wayOut;

  /** Says what is wrong, and after it what to try: a sentence that starts with "Maybe". */
  public BadInput(String message, String wayOut) {
    super(message);
    this.wayOut = wayOut;
  }

  /** What the user may do about it. */
  public String wayOut() {
    return wayOut;
  }
}
