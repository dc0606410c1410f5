package io.deepvm.workload.profile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lightning's rich progress bar: "Epoch 0/9 ━━━ 12/100 0:00:01 • 0:00:08 11.47it/s". */
final class RichBars implements ProgressFormat {

  private static final Pattern BAR =
      Pattern.compile(
          "(?<title>[A-Za-z ]+?) *\\d+(?:/\\d+)? +\\S+ +(?<count>\\d{1,12})/(?:\\d+|--)"
              + " +\\d+:\\d\\d:\\d\\d • .*");

  @Override
  public String title() {
    return "Lightning's rich bar";
  }

  @Override
  public @Nullable ProgressCount read(String line) {
    Matcher bar = BAR.matcher(line.strip());
    return bar.matches()
        ? new ProgressCount(
            bar.group("title"), Double.parseDouble(bar.group("count")), ProgressCount.Unit.STEPS)
        : null;
  }
}
