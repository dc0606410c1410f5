package io.deepvm.market;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the user says of a file that does not say it itself; null leaves it to the file.
 *
 * @param format the name of a format, where it is not to be recognised by content
 * @param polarity what 1 means in JSON files
 * @param tick how long one tick is made, where samples are irregular
 * @param instanceType what was asked for, where only places are named
 * @param asked how many nodes were asked for, where only counts are given
 */
public record ReadOptions(
    @Nullable String format,
    @Nullable Polarity polarity,
    @Nullable Duration tick,
    @Nullable String instanceType,
    @Nullable Integer asked) {

  /** Leaves everything to the file. */
  public static final ReadOptions NONE = new ReadOptions(null, null, null, null, null);

  /** Returns the same with the polarity stated. */
  public ReadOptions with(Polarity stated) {
    return new ReadOptions(format, stated, tick, instanceType, asked);
  }

  /** Returns the same with the instance type stated. */
  public ReadOptions withInstanceType(String stated) {
    return new ReadOptions(format, polarity, tick, stated, asked);
  }
}
