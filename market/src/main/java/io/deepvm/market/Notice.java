package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.util.Locale;

/**
 * What a cloud says before it takes a node back.
 *
 * @param leadSeconds how long before
 * @param reliability the share of revocations it comes before at all
 */
public record Notice(double leadSeconds, double reliability) {

  /** A cloud that takes nodes back without a word. */
  public static final Notice NONE = new Notice(0, 0);

  public Notice {
    if (!(leadSeconds >= 0) || !(reliability >= 0 && reliability <= 1)) {
      throw new BadInput(
          "A notice of %s s that comes in a share of %s of the cases cannot be."
              .formatted(leadSeconds, reliability),
          "Maybe give seconds of at least 0 and a share from 0 to 1.");
    }
  }

  /** Returns the same notice if a share of the notices that would come does not. */
  public Notice failing(double share) {
    return new Notice(leadSeconds, reliability * (1 - share));
  }

  /** Returns what the cloud's documents promise; nothing where they promise nothing. */
  public static Notice of(String cloud) {
    return switch (cloud.toLowerCase(Locale.ROOT)) {
      case "aws" -> new Notice(120, 1);
      case "gcp", "azure" -> new Notice(30, 1);
      default -> NONE;
    };
  }
}
