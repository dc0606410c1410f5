package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Manifest;
import java.util.List;

/**
 * A restored checkpoint.
 *
 * @param tier where it was read
 * @param passedOver what kept newer or nearer ones from being used
 */
public record Restored(Manifest manifest, String tier, List<String> passedOver) {

  public Restored {
    passedOver = List.copyOf(passedOver);
  }
}
