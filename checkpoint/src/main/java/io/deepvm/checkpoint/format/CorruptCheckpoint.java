package io.deepvm.checkpoint.format;

import java.io.IOException;

/** What is stored is not what was saved. */
public final class CorruptCheckpoint extends IOException {

  public CorruptCheckpoint(String message) {
    super(message);
  }

  public CorruptCheckpoint(String message, Throwable cause) {
    super(message, cause);
  }
}
