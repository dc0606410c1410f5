package io.deepvm.workload.profile;

import io.deepvm.base.DataSize;
import io.deepvm.base.Numbers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a minute of a training script shows.
 *
 * @param command as it was started
 * @param samplesPerStep of all GPUs, where it is known
 * @param cuda the most memory that its processes held on one GPU; null where none was seen
 * @param resident the most main memory that its processes held; null where it cannot be read
 */
public record ScriptProfile(
    String command,
    double samplesPerSecond,
    @Nullable Double samplesPerStep,
    @Nullable DataSize cuda,
    @Nullable DataSize resident) {

  /**
   * Returns a job file.
   *
   * @param machine under a name that catalogs know
   * @param gpus of that machine, which share each step
   * @param more lines on the model and its work
   */
  public String jobFile(String machine, int gpus, List<String> more) {
    StringBuilder text = new StringBuilder();
    text.append("# Measured by: deepvm profile -- ").append(oneLine(command)).append('\n');
    text.append("name: ").append(name()).append('\n');
    more.forEach(line -> text.append(line).append('\n'));
    if (samplesPerStep != null && samplesPerStep >= gpus) {
      text.append(
          "batch: %d               # samples of one step on one GPU%n"
              .formatted(Math.round(samplesPerStep / gpus)));
    }
    if (cuda != null) {
      text.append("gpuMemory: %s   # peak of the script's processes on one GPU%n".formatted(cuda));
    } else if (resident != null) {
      text.append(
          "# No GPU memory was seen. Peak of the processes' main memory: %s%n".formatted(resident));
    }
    text.append(
        "samplesPerSecond: {%s: %s}%n".formatted(machine, Numbers.print(samplesPerSecond, 4)));
    return text.toString();
  }

  /** Returns the script's name without folder and ending. */
  private String name() {
    String script = command;
    for (String word : command.split("\\s+", -1)) {
      if (word.endsWith(".py") || word.endsWith(".sh")) {
        script = word;
        break;
      }
    }
    String file = script.strip().split("\\s+", 2)[0];
    String plain =
        file.substring(file.lastIndexOf('/') + 1)
            .replaceFirst("\\.(py|sh)$", "")
            .replaceAll("[^A-Za-z0-9_-]", "-");
    return plain.matches("[A-Za-z].*") ? plain : "job-" + plain;
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}", " ");
  }
}
