package io.deepvm.workload.profile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The progress lines of docs/how-to/bring-your-own-script.md. */
final class ReportLines implements ProgressFormat {

  private static final Pattern STEP = Pattern.compile("\"report\"\\s*:\\s*\"step\"");
  private static final Pattern SAMPLES = Pattern.compile("\"samples\"\\s*:\\s*(\\d{1,18})");

  @Override
  public String title() {
    return "progress lines";
  }

  @Override
  public @Nullable ProgressCount read(String line) {
    if (!line.stripLeading().startsWith("{") || !STEP.matcher(line).find()) {
      return null;
    }
    Matcher samples = SAMPLES.matcher(line);
    return samples.find()
        ? new ProgressCount(
            "report", Double.parseDouble(samples.group(1)), ProgressCount.Unit.SAMPLES)
        : null;
  }
}
