package io.deepvm.places.slurm;

import io.deepvm.places.News;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What the words mean with which sbatch refuses a job. */
final class SbatchRefusals {

  private static final Map<String, News.Refusal> WORDS = new LinkedHashMap<>();

  static {
    WORDS.put("invalid partition", News.Refusal.UNSUPPORTED);
    WORDS.put("node configuration is not available", News.Refusal.UNSUPPORTED);
    WORDS.put("invalid generic resource", News.Refusal.UNSUPPORTED);
    WORDS.put("time limit is invalid", News.Refusal.UNSUPPORTED);
    WORDS.put("unrecognized option", News.Refusal.UNSUPPORTED);
    WORDS.put("cannot be started here", News.Refusal.UNSUPPORTED);
    WORDS.put("invalid account", News.Refusal.DENIED);
    WORDS.put("invalid qos", News.Refusal.DENIED);
    WORDS.put("access/permission denied", News.Refusal.DENIED);
    WORDS.put("not permitted", News.Refusal.DENIED);
    WORDS.put("authentication", News.Refusal.DENIED);
    WORDS.put("limit", News.Refusal.QUOTA);
  }

  private SbatchRefusals() {}

  static News.Refusal of(String said) {
    String lower = said.toLowerCase(Locale.ROOT);
    return WORDS.entrySet().stream()
        .filter(entry -> lower.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(News.Refusal.BROKEN);
  }
}
