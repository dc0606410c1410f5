package io.deepvm.checkpoint.format;

import io.deepvm.base.BadInput;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The right to save as one generation of a job. A tier gives each number to one owner, for good;
 * all workers of a generation share the owner's id, and no other process knows it.
 */
public record Claim(long generation, UUID owner) {

  /** The largest number: neither counting nor the milliseconds of a clock come near it. */
  public static final long MOST = 1_000_000_000_000_000L;

  private static final Pattern TEXT = Pattern.compile("(\\d{1,18}) ([0-9a-f-]{36})");

  public Claim {
    if (generation < 0 || generation > MOST) {
      throw new BadInput(
          "Generation %d cannot be claimed: it is not between 0 and %d."
              .formatted(generation, MOST),
          "Maybe take the next one after the newest.");
    }
  }

  /** Returns a claim of this number with a new owner. */
  public static Claim of(long generation) {
    return new Claim(generation, UUID.randomUUID());
  }

  /** Returns the claim of a text that {@link #toString} made, as one worker hands it to another. */
  public static Claim parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new BadInput(
          "'%s' is no claim.".formatted(text.length() > 60 ? text.substring(0, 60) + "..." : text),
          "Maybe it should be like '7 1b4e28ba-2fa1-41d2-883f-0016d3cca427'.");
    }
    return new Claim(Long.parseLong(matcher.group(1)), UUID.fromString(matcher.group(2)));
  }

  @Override
  public String toString() {
    return generation + " " + owner;
  }
}
