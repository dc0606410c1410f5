package io.deepvm.cli.chart;

import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.Timeline.Life;
import io.deepvm.simulator.Timeline.Phase;
import io.deepvm.simulator.Timeline.Progress;
import java.util.ArrayList;
import java.util.List;

/**
 * How a run's work went on, setbacks included.
 *
 * <p>A timeline says where the work stood after a setback; how far it had come just before follows
 * from who had been training since the entry before, and for how long.
 *
 * @param points in the order of time; at a setback two of one moment, before and after
 * @param lost from when to when training was for nothing, in the order of time
 */
record Course(List<Progress> points, List<Span> lost) {

  /** From a moment to another. */
  record Span(double from, double to) {}

  static Course of(Timeline timeline, Scenario scenario) {
    List<Life> lives = timeline.lives();
    List<Progress> points = new ArrayList<>();
    List<Span> lost = new ArrayList<>();
    Progress last = new Progress(0, 0, 0);
    for (Progress next : timeline.progress()) {
      if (next.done() <= last.done() && next.at() >= last.at()) {
        double trained = trained(lives, scenario, last.at(), next.at());
        Progress peak = new Progress(next.at(), last.done() + trained, last.safe());
        if (peak.done() > next.done()) {
          points.add(peak);
          lost.add(new Span(reached(points, next.done()), next.at()));
        }
      }
      points.add(next);
      last = next;
    }
    return new Course(points, lost);
  }

  /** Splits a phase of training into what was kept and what had to be done again. */
  List<Phase> split(Phase phase) {
    if (phase.activity() != Activity.USEFUL) {
      return List.of(phase);
    }
    List<Phase> parts = new ArrayList<>();
    double at = phase.from();
    for (Span span : lost) {
      double from = Math.max(at, span.from());
      double to = Math.min(phase.to(), span.to());
      if (from < to) {
        if (at < from) {
          parts.add(new Phase(Activity.USEFUL, at, from));
        }
        parts.add(new Phase(Activity.REDONE, from, to));
        at = to;
      }
    }
    if (at < phase.to()) {
      parts.add(new Phase(Activity.USEFUL, at, phase.to()));
    }
    return parts;
  }

  /** Returns the work of those who trained from one entry to the next; none joins in between. */
  private static double trained(List<Life> lives, Scenario scenario, double from, double to) {
    double middle = (from + to) / 2;
    int[] members = new int[scenario.egressUsdPerGb().length];
    boolean any = false;
    for (Life life : lives) {
      if (life.from() <= middle && middle < life.to()) {
        for (Phase phase : life.phases()) {
          if (phase.from() <= middle && middle < phase.to()) {
            boolean trains = phase.activity() == Activity.USEFUL;
            members[life.pool()] += trains ? 1 : 0;
            any |= trains;
          }
        }
      }
    }
    return any ? scenario.throughput().unitsPerSecond(members) * (to - from) : 0;
  }

  /** Returns when the work last came past a level, on the way to the last point. */
  private static double reached(List<Progress> points, double level) {
    for (int i = points.size() - 1; i > 0; i--) {
      Progress before = points.get(i - 1);
      Progress after = points.get(i);
      if (before.done() <= level) {
        double share = (level - before.done()) / (after.done() - before.done());
        return before.at() + share * (after.at() - before.at());
      }
    }
    return 0;
  }
}
