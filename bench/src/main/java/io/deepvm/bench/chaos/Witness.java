package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.format.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hears what all trainers say: which session has which generation, and what is durable. */
final class Witness {

  /** By generation, what makes the states of its session differ from all others. */
  private final Map<Long, Long> salts = new HashMap<>();

  private final List<String> lost = new ArrayList<>();
  private final List<String> torn = new ArrayList<>();
  private Version durable = new Version(Model.JOB, 0, 0);

  /**
   * Takes a line of a trainer.
   *
   * @param begun what was durable when the trainer was started
   */
  synchronized void hear(String line, Version begun) {
    String[] words = line.split(" ");
    switch (words[0]) {
      case "CLAIMED" -> claimed(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case "DURABLE" -> {
        Version version = version(words);
        durable = durable.compareTo(version) < 0 ? version : durable;
      }
      case "RESTORED" -> {
        if (version(words).compareTo(begun) < 0) {
          lost.add("%s was durable, a trainer got %s".formatted(begun, version(words)));
        }
      }
      case "LOST" -> lost.add("a trainer got only " + version(words));
      case "WRONG" -> torn.add("a trainer got something else for " + version(words));
      default -> {}
    }
  }

  private static Version version(String[] words) {
    return new Version(Model.JOB, Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  private void claimed(long generation, long salt) {
    Long before = salts.putIfAbsent(generation, salt);
    if (before != null && before != salt) {
      torn.add("two sessions have generation " + generation);
    }
  }

  /** Returns the newest version that was reported durable. */
  synchronized Version durable() {
    return durable;
  }

  /** Returns what the states of a generation are made with; null when nobody has said so. */
  synchronized @Nullable Long salt(long generation) {
    return salts.get(generation);
  }

  /** Passes on what is wrong, once. */
  synchronized void tell(Judge judge) {
    lost.forEach(judge::lost);
    torn.forEach(judge::torn);
    lost.clear();
    torn.clear();
  }
}
