package io.deepvm.simulator;

import io.deepvm.catalog.Market;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes down one run, to be looked at; times are seconds since its start. */
public final class Timeline implements Recorder {

  /**
   * One node's life.
   *
   * @param revoked whether the cloud took it; false while it lives
   * @param phases what it did, in order, without gaps
   */
  public record Life(
      int node,
      int pool,
      Market market,
      List<Phase> phases,
      List<Double> notices,
      boolean revoked) {

    /** When it was rented. */
    public double from() {
      return phases.get(0).from();
    }

    /** When it ended. */
    public double to() {
      return phases.get(phases.size() - 1).to();
    }
  }

  /** What a node did from a moment to another. */
  public record Phase(Activity activity, double from, double to) {}

  /** The work done and the part of it that cannot be lost. */
  public record Progress(double at, double done, double safe) {}

  /** The dollars spent. */
  public record Spent(double at, double usd) {}

  private static final class Open {

    private final int pool;
    private final Market market;
    private final List<Phase> phases = new ArrayList<>();
    private final List<Double> notices = new ArrayList<>();
    private Activity activity = Activity.BOOTING;
    private double since;
    private boolean revoked;

    Open(int pool, Market market, double since) {
      this.pool = pool;
      this.market = market;
      this.since = since;
    }

    void turn(Activity next, double at) {
      if (at > since) {
        phases.add(new Phase(activity, since, at));
        since = at;
      }
      activity = next;
    }
  }

  private final Map<Integer, Open> nodes = new LinkedHashMap<>();
  private final List<Progress> progress = new ArrayList<>();
  private final List<Spent> spent = new ArrayList<>();
  private final List<Double> checkpoints = new ArrayList<>();

  @Override
  public void rented(int node, int pool, Market market, double at) {
    nodes.put(node, new Open(pool, market, at));
  }

  @Override
  public void turned(int node, Activity activity, double at) {
    open(node).turn(activity, at);
  }

  @Override
  public void noticed(int node, double at) {
    open(node).notices.add(at);
  }

  @Override
  public void ended(int node, boolean revoked, double at) {
    Open open = open(node);
    open.turn(open.activity, at);
    open.revoked = revoked;
  }

  @Override
  public void progressed(double done, double safe, double at) {
    progress.add(new Progress(at, done, safe));
  }

  @Override
  public void checkpointed(double at) {
    checkpoints.add(at);
  }

  @Override
  public void spent(double dollars, double at) {
    spent.add(new Spent(at, dollars));
  }

  /** The nodes that lived for any time at all, in the order they were rented. */
  public List<Life> lives() {
    List<Life> lives = new ArrayList<>();
    nodes.forEach(
        (node, open) -> {
          if (!open.phases.isEmpty()) {
            lives.add(
                new Life(
                    node,
                    open.pool,
                    open.market,
                    List.copyOf(open.phases),
                    List.copyOf(open.notices),
                    open.revoked));
          }
        });
    return lives;
  }

  /** The work done, at the moments when its growth changed. */
  public List<Progress> progress() {
    return List.copyOf(progress);
  }

  /** The dollars spent, tick by tick. */
  public List<Spent> spent() {
    return List.copyOf(spent);
  }

  /** When checkpoints were out of reach of revocations. */
  public List<Double> checkpoints() {
    return List.copyOf(checkpoints);
  }

  private Open open(int node) {
    Open open = nodes.get(node);
    if (open == null) {
      throw new IllegalStateException("node %d was never rented".formatted(node));
    }
    return open;
  }
}
