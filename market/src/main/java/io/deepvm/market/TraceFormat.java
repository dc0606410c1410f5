package io.deepvm.market;

import io.deepvm.base.TextSource;

/** A kind of trace file, recognised by its content or chosen by name. */
public interface TraceFormat {

  /** What people call the format. */
  String name();

  /** Whether a file that begins like this is in the format. */
  boolean recognises(String opening);

  /** Whether the format itself says that numbers count available nodes. */
  default boolean countsAvailable() {
    return true;
  }

  /** Reads the whole file. */
  Recording read(TextSource source, ReadOptions options);
}
