package io.deepvm.checkpoint.tier;

import java.io.IOException;

/** Receives each step of the protocol; a test may fail or kill the process there. */
public interface FaultPoints {

  /** Does nothing. */
  FaultPoints NONE = point -> {};

  /** The protocol has come to this point. */
  void reached(FaultPoint point) throws IOException;
}
