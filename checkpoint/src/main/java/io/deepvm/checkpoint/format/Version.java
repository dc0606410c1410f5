package io.deepvm.checkpoint.format;

import io.deepvm.base.BadInput;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names one checkpoint: the state of a job after a step, as seen by one generation of its cluster.
 * A later generation's is newer whatever its step, since that generation may have gone back.
 */
public record Version(String job, long generation, long step) implements Comparable<Version> {

  private static final Pattern FOLDER = Pattern.compile("step-(\\d{12,18})-g(\\d{6,18})");
  private static final long LIMIT = 1_000_000_000_000_000_000L;
  private static final Comparator<Version> ORDER =
      Comparator.comparing(Version::job)
          .thenComparingLong(Version::generation)
          .thenComparingLong(Version::step);

  public Version {
    Names.check("job", job);
    if (generation < 0 || generation >= LIMIT || step < 0 || step >= LIMIT) {
      throw new BadInput(
          "Step %d of generation %d cannot be saved.".formatted(step, generation),
          "Maybe count both from zero.");
    }
  }

  /** Returns the folder's name, which sorts by step. */
  public String folder() {
    return String.format(Locale.ROOT, "step-%012d-g%06d", step, generation);
  }

  /** Returns the version whose folder is called so, or null when it is no such folder. */
  public static @Nullable Version ofFolder(String job, String folder) {
    Matcher matcher = FOLDER.matcher(folder);
    if (!matcher.matches()) {
      return null;
    }
    Version version =
        new Version(job, Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(1)));
    return version.folder().equals(folder) ? version : null;
  }

  @Override
  public int compareTo(Version other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "%s step %d (generation %d)".formatted(job, step, generation);
  }
}
