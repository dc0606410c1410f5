package io.deepvm.workload.profile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The logs of the Hugging Face Trainer, which count epochs. */
final class TrainerLogs implements ProgressFormat {

  /** Newer releases quote the numbers. */
  private static final Pattern LOSS =
      Pattern.compile("\\{'loss': .*'epoch': '?(\\d+(?:\\.\\d+)?(?:e-?\\d+)?)'?.*\\}");

  @Override
  public String title() {
    return "Hugging Face Trainer";
  }

  @Override
  public @Nullable ProgressCount read(String line) {
    Matcher loss = LOSS.matcher(line.strip());
    return loss.matches()
        ? new ProgressCount("trainer", Double.parseDouble(loss.group(1)), ProgressCount.Unit.EPOCHS)
        : null;
  }
}
