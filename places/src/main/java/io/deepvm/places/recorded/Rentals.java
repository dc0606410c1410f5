package io.deepvm.places.recorded;

import io.deepvm.market.SpotRules;
import io.deepvm.places.Cloud;
import io.deepvm.places.News;
import io.deepvm.places.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The nodes that the place below has for the run: warns, spares and takes them. */
final class Rentals {

  /** How soon the place is asked again for the end of a node that it has not confirmed. */
  private static final long REPEAT_MICROS = 1_000_000;

  private final Cloud place;
  private final Timers timers;
  private final double speed;
  private final Consumer<News> report;
  private final Map<String, Rental> byNode = new LinkedHashMap<>();
  // Why nodes that are gone were taken; empty if they were not.
  private final Map<String, String> gone = new HashMap<>();
  private boolean closed;

  /**
   * Starts without nodes.
   *
   * @param speed market seconds that pass in one second
   * @param report receives what happens to nodes
   */
  Rentals(Cloud place, Timers timers, double speed, Consumer<News> report) {
    this.place = place;
    this.timers = timers;
    this.speed = speed;
    this.report = report;
  }

  void add(Rental rental) {
    byNode.put(rental.node(), rental);
  }

  /** Whether the node was ever ordered from the place. */
  boolean isKnown(String node) {
    return byNode.containsKey(node) || gone.containsKey(node);
  }

  /** Returns the nodes, oldest first. */
  List<Rental> all() {
    return List.copyOf(byNode.values());
  }

  /** Returns the spot nodes of a pool that nobody ends, oldest first. */
  List<Rental> held(int pool) {
    return byNode.values().stream()
        .filter(rental -> rental.isSpot() && rental.pool() == pool && rental.counts())
        .toList();
  }

  /** The owner ends the node itself. */
  void end(String node) {
    Rental rental = byNode.get(node);
    if (rental != null) {
      rental.end();
    }
  }

  /** The place refused the order. */
  void refused(String node) {
    byNode.remove(node);
  }

  /** Returns the end of a node as the owner should see it: a taken node did not just end. */
  News.Gone gone(News.Gone end) {
    Rental rental = byNode.remove(end.node());
    if (rental != null) {
      String taken = rental.taken();
      gone.put(end.node(), taken == null ? "" : taken);
    }
    String taken = gone.getOrDefault(end.node(), "");
    return taken.isEmpty() ? end : new News.Gone(end.node(), News.Cause.TAKEN, taken);
  }

  /** Announces that a node will be taken, unless that was announced before. */
  void notice(Rental rental, Rental.Notifier by, double leadSeconds) {
    if (isCurrent(rental) && rental.counts() && rental.notifier() == null) {
      rental.notifiedBy(by);
      double real = Math.max(0, leadSeconds) / speed;
      report.accept(new News.Noticed(rental.node(), real, by.reason()));
    }
  }

  private void spare(Rental rental) {
    rental.notifiedBy(null);
    report.accept(new News.Spared(rental.node()));
  }

  /** Takes a node away. */
  void take(Rental rental, String reason) {
    if (isCurrent(rental) && rental.counts()) {
      rental.take(reason);
      askForEnd(rental, reason);
    }
  }

  private void askForEnd(Rental rental, String reason) {
    if (isCurrent(rental) && !closed) {
      place.end(rental.node(), reason);
      timers.after(REPEAT_MICROS, () -> askForEnd(rental, reason));
    }
  }

  private boolean isCurrent(Rental rental) {
    return byNode.get(rental.node()) == rental;
  }

  /** Asks the place for nothing any more. */
  void close() {
    closed = true;
  }

  /**
   * Returns the spot nodes of a pool, for the market's rules.
   *
   * @param leadSeconds the market seconds until a node that is warned now will be taken
   */
  SpotRules.Fleet fleet(int pool, double leadSeconds) {
    return new Held(pool, leadSeconds);
  }

  private final class Held implements SpotRules.Fleet {
    private final List<Rental> nodes;
    private final double leadSeconds;

    Held(int pool, double leadSeconds) {
      this.nodes = new ArrayList<>(held(pool));
      this.leadSeconds = leadSeconds;
    }

    @Override
    public int size() {
      return nodes.size();
    }

    @Override
    public boolean isSpot(int node, int pool) {
      return true;
    }

    @Override
    public SpotRules.Warning warning(int node) {
      return nodes.get(node).warning();
    }

    @Override
    public void warn(int node) {
      Rental rental = nodes.get(node);
      notice(rental, Rental.Notifier.MARKET, leadSeconds);
    }

    @Override
    public void spare(int node) {
      Rentals.this.spare(nodes.get(node));
    }

    @Override
    public void take(int node) {
      Rental rental = nodes.remove(node);
      boolean warned = rental.notifier() == Rental.Notifier.MARKET;
      Rentals.this.take(
          rental, warned ? "taken by the market after a notice" : "taken by the market");
    }
  }
}
