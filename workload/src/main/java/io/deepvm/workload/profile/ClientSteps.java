package io.deepvm.workload.profile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The steps that the Python client saw, from the file that it writes while a script is profiled.
 */
final class ClientSteps implements ProgressFormat {

  private static final Pattern STEP = Pattern.compile("deepcheck step (\\d{1,15})");

  @Override
  public String title() {
    return "the Python client";
  }

  @Override
  public @Nullable ProgressCount read(String line) {
    Matcher step = STEP.matcher(line);
    return step.matches()
        ? new ProgressCount("client", Double.parseDouble(step.group(1)), ProgressCount.Unit.STEPS)
        : null;
  }
}
