package io.deepvm.trainer.member;

import io.deepvm.base.BadInput;
import java.util.Map;

/**
 * How fast this process shall appear to be, so that processes of one machine can stand for machines
 * of several speeds.
 *
 * @param speed 1 for as fast as it is
 * @param microBatchSeconds what a micro-batch takes at speed 1; 0 for what it takes each time. A
 *     known time keeps the pace when other processes get in the way
 */
public record TrainingPace(double speed, double microBatchSeconds) {

  /** Reads it from the environment that an agent gives. */
  public static TrainingPace of(Map<String, String> environment) {
    return new TrainingPace(
        number(environment, "DEEPVM_SPEED", "1", 1e-6, 1),
        number(environment, "DEEPVM_MICRO_BATCH_SECONDS", "0", 0, 3600));
  }

  private static double number(
      Map<String, String> environment, String name, String otherwise, double least, double most) {
    String text = environment.getOrDefault(name, otherwise);
    try {
      double number = Double.parseDouble(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // falls through to the one message
    }
    throw new BadInput(
        "%s (%s) is not from %s to %s.".formatted(name, text, least, most),
        "Maybe leave it unset.");
  }

  /** How long to rest after a micro-batch that took this long. */
  long restNanos(long tookNanos) {
    double usual = microBatchSeconds > 0 ? microBatchSeconds * 1e9 : tookNanos;
    return speed < 1 ? (long) (usual / speed) - tookNanos : 0;
  }
}
