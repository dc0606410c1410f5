package io.deepvm.workload.profile;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Bars of tqdm, which Lightning and the Hugging Face Trainer draw too. */
final class ProgressBars implements ProgressFormat {

  private static final String CLOCK = "(?:\\d+:)?\\d+:\\d\\d";
  private static final String RATE =
      " *(?:[\\d.]+|\\?)[kMG]?(?:(?<unit>[^,\\]/]+)/s|s/(?<slow>[^,\\]]+))";

  /** "Epoch 0: 12%|█▏ | 12/100 [00:01<00:07, 11.47it/s, loss=2.3]". */
  private static final Pattern WITH_TOTAL =
      Pattern.compile(
          "(?<title>.*?)\\s*\\d{1,3}%\\|[^|]*\\| *(?<count>[\\d.]+)(?<scale>[kMG]?)/[\\d.]+[kMG]?"
              + " \\["
              + CLOCK
              + "<[^,\\]]*,"
              + RATE
              + ".*\\]?");

  /** "120it [00:10, 11.47it/s]". */
  private static final Pattern WITHOUT_TOTAL =
      Pattern.compile(
          "(?<title>(?:.*: )?)(?<count>[\\d.]+)(?<scale>[kMG]?) ?[A-Za-z]+ \\["
              + CLOCK
              + ","
              + RATE
              + ".*\\]?");

  private static final Pattern NUMBERS = Pattern.compile("\\d+");
  private static final Set<String> OF_SAMPLES =
      Set.of("sample", "samples", "ex", "example", "examples", "img", "image", "images", "seq");

  @Override
  public String title() {
    return "tqdm";
  }

  @Override
  public @Nullable ProgressCount read(String line) {
    String text = line.strip();
    Matcher bar = WITH_TOTAL.matcher(text);
    if (!bar.matches()) {
      bar = WITHOUT_TOTAL.matcher(text);
      if (!bar.matches()) {
        return null;
      }
    }
    String unit = bar.group("unit") != null ? bar.group("unit") : bar.group("slow");
    boolean samples = OF_SAMPLES.contains(unit.strip().toLowerCase(Locale.ROOT));
    // epoch 1 goes on where epoch 0 ended
    String series = NUMBERS.matcher(bar.group("title")).replaceAll("").strip() + '/' + unit;
    return new ProgressCount(
        series,
        Double.parseDouble(bar.group("count")) * scale(bar.group("scale")),
        samples ? ProgressCount.Unit.SAMPLES : ProgressCount.Unit.STEPS);
  }

  private static double scale(String letter) {
    return switch (letter) {
      case "k" -> 1e3;
      case "M" -> 1e6;
      case "G" -> 1e9;
      default -> 1;
    };
  }
}
