package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.format.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Hears what all trainers say: which session has which generation, and what is durable. */
final class Witness {

  /** More than any retention keeps. */
  private static final int REMEMBERED = 1_000;

  /** The anchors' memory and their disks. */
  private static final int TIERS = 2;

  /** By generation, what makes the states of its session differ from all others. */
  private final Map<Long, Long> salts = new HashMap<>();

  private final List<String> lost = new ArrayList<>();
  private final List<String> torn = new ArrayList<>();
  private Version durable = new Version(Model.JOB, 0, 0);

  /** The newest versions that were reported durable. */
  private final TreeSet<Version> safe = new TreeSet<>();

  /** The newest versions that are somewhere, as far as anyone has said or seen. */
  private final TreeSet<Version> brought = new TreeSet<>();

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
        add(safe, version);
        add(brought, version);
      }
      case "BROUGHT" -> add(brought, version(words));
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

  private static void add(NavigableSet<Version> versions, Version version) {
    versions.add(version);
    if (versions.size() > REMEMBERED) {
      versions.pollFirst();
    }
  }

  /** Notes that a version is listed. */
  synchronized void see(Version version) {
    add(brought, version);
  }

  /**
   * Returns the versions that were reported durable and that no retention can have deleted yet. It
   * keeps a number of newer ones, in which it counts what nobody has reported: a save of the same
   * session that is half committed, and one a tier that each later session left behind.
   */
  synchronized List<Version> mustBeThere(int kept) {
    List<Version> must = new ArrayList<>();
    for (Version version : safe) {
      int newer = brought.tailSet(version, false).size();
      long later = salts.keySet().stream().filter(g -> g > version.generation()).count();
      if (newer + 1 + TIERS * later < kept) {
        must.add(version);
      }
    }
    return must;
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
