package io.deepvm.places.aws;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Counts how often EC2 does not list a machine: once says nothing. */
final class Absences {

  private static final int MANY = 5;
  private static final long LONG_MS = 60_000;

  /** The looks in a row that did not find a machine. */
  private record Absence(long sinceMs, int looks) {}

  private final Map<String, Absence> absences = new HashMap<>();
  private final Set<String> refused = new HashSet<>();

  /** Notes what a look found of a node. */
  void saw(String node, boolean there, long nowMs) {
    if (there) {
      absences.remove(node);
    } else {
      absences.merge(
          node,
          new Absence(nowMs, 1),
          (before, now) -> new Absence(before.sinceMs(), before.looks() + 1));
    }
  }

  /** Notes that EC2 ends the machine. */
  void answered(String node) {
    refused.remove(node);
  }

  /** Notes that EC2 knows no machine to end. */
  void refused(String node) {
    refused.add(node);
  }

  /** Whether EC2 knew no machine when its end was asked for last. */
  boolean wasRefused(String node) {
    return refused.contains(node);
  }

  /** Whether the machine was not listed several times, over a while. */
  boolean areMany(String node, long nowMs) {
    Absence absence = absences.get(node);
    return absence != null && absence.looks() >= MANY && nowMs - absence.sinceMs() >= LONG_MS;
  }
}
