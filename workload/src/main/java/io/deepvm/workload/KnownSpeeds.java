package io.deepvm.workload;

import io.deepvm.base.BadInput;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a job says of its speed.
 *
 * @param model the name under which public measurements are looked up; null when not stated
 * @param sampleSize edge of an image in pixels, or tokens of a sequence; null for what is usual
 * @param samplesPerSecond what was measured of the job itself, by instance type (the whole machine)
 *     or by GPU name (one GPU)
 */
public record KnownSpeeds(
    @Nullable String model, @Nullable Integer sampleSize, Map<String, Double> samplesPerSecond) {

  /** Nothing is known. */
  public static final KnownSpeeds NONE = new KnownSpeeds(null, null, Map.of());

  public KnownSpeeds {
    samplesPerSecond = Map.copyOf(new TreeMap<>(samplesPerSecond));
    samplesPerSecond.forEach(
        (name, speed) -> {
          if (!(speed > 0 && Double.isFinite(speed))) {
            throw new BadInput(
                "The speed %s samples/s of %s is not a positive number.".formatted(speed, name),
                "Maybe leave %s out.".formatted(name));
          }
        });
  }
}
