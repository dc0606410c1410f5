package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Claim;
import java.util.UUID;

/** Claims of tests: all that ask for a number are of one session. */
public final class SharedClaim {

  /** The session. */
  public static final UUID OWNER = new UUID(1, 1);

  private SharedClaim() {}

  /** Returns the session's claim of a generation. */
  public static Claim of(long generation) {
    return new Claim(generation, OWNER);
  }
}
