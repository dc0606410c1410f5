package io.deepvm.checkpoint.simulation;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The event stream of one run: one line an event. Two runs of one seed must have the same hash. */
public final class Trace {

  private static final long PRIME = 0x100000001b3L;

  private final PrintStream out;
  private final List<String> problems = new ArrayList<>();
  private long hash = 0xcbf29ce484222325L;
  private long events;

  /** Prints each event, unless there is nothing to print on. */
  Trace(PrintStream out) {
    this.out = out;
  }

  void event(long nanos, String who, String what) {
    events++;
    mix(nanos);
    mix(who.hashCode());
    mix(what.hashCode());
    if (out != null) {
      out.printf(Locale.ROOT, "%14.6f %-10s %s%n", nanos / 1e9, who, what);
    }
  }

  private void mix(long value) {
    hash = (hash ^ value) * PRIME;
    hash ^= hash >>> 29;
  }

  /** Notes that a promise was broken. */
  void problem(String what) {
    problem(what, null);
  }

  void problem(String what, Throwable cause) {
    problems.add(what);
    if (out != null) {
      out.println("PROBLEM " + what);
      if (cause != null) {
        cause.printStackTrace(out);
      }
    }
  }

  boolean isShown() {
    return out != null;
  }

  List<String> problems() {
    return problems;
  }

  long hash() {
    return hash;
  }

  long events() {
    return events;
  }
}
