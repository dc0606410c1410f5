package io.deepvm.workload.profile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What logs say once of the whole training. */
final class LogFacts {

  private static final Pattern EXAMPLES = Pattern.compile(".*\\bNum examples = ([\\d,]+)\\s*");
  private static final Pattern BATCH =
      Pattern.compile(".*\\bTotal train batch size \\(.*\\) = ([\\d,]+)\\s*");
  private static final Pattern SUMMARY =
      Pattern.compile(".*'train_samples_per_second': '?([\\d.]+)'?.*");

  private @Nullable Double samplesPerEpoch;
  private @Nullable Double samplesPerStep;
  private @Nullable Double samplesPerSecond;

  void read(String line) {
    samplesPerEpoch = number(EXAMPLES, line, samplesPerEpoch);
    samplesPerStep = number(BATCH, line, samplesPerStep);
    samplesPerSecond = number(SUMMARY, line, samplesPerSecond);
  }

  private static @Nullable Double number(Pattern pattern, String line, @Nullable Double before) {
    Matcher found = pattern.matcher(line);
    return found.matches() ? Double.valueOf(found.group(1).replace(",", "")) : before;
  }

  /** Returns the data set's size, as the Hugging Face Trainer logs it. */
  @Nullable Double samplesPerEpoch() {
    return samplesPerEpoch;
  }

  /** Returns the samples of one step of all GPUs, as the Hugging Face Trainer logs it. */
  @Nullable Double samplesPerStep() {
    return samplesPerStep;
  }

  /** Returns the speed that the Hugging Face Trainer prints at its end. */
  @Nullable Double samplesPerSecond() {
    return samplesPerSecond;
  }
}
