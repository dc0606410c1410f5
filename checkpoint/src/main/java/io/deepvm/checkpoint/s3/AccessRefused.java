package io.deepvm.checkpoint.s3;

import java.io.IOException;

/** The store does not allow this. */
final class AccessRefused extends IOException {

  AccessRefused(String key, Exception cause) {
    super("The store refuses access to %s.".formatted(key), cause);
  }
}
