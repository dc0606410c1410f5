package io.deepvm.workload.profile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The lines of nanoGPT, as in "iter 100: loss 3.1, time 135.42ms, mfu 5.21%". */
final class NanoGptLogs implements ProgressFormat {

  private static final Pattern ITERATION =
      Pattern.compile("iter (\\d{1,15}): loss \\S+, time [\\d.]+ms.*");

  @Override
  public String title() {
    return "nanoGPT";
  }

  @Override
  public @Nullable ProgressCount read(String line) {
    Matcher iteration = ITERATION.matcher(line.strip());
    return iteration.matches()
        ? new ProgressCount(
            "iter", Double.parseDouble(iteration.group(1)), ProgressCount.Unit.STEPS)
        : null;
  }
}
