package io.deepvm.places.recorded;

import io.deepvm.catalog.Market;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.SpotRules;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketTime;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays a recorded market over another place: prices change, and nodes are warned and taken, at the
 * record's times. An order that the record has no node for is refused.
 */
public final class RecordedCloud implements Cloud, MarketTime {

  /** A pool may be asked again just before the tick at which it may have nodes. */
  private static final double EARLY_SECONDS = 0.002;

  private final Cloud place;
  private final SpotMarket market;
  private final Timers timers;
  private final MarketClock time;
  private final Rentals rentals;
  private final PlannedLosses losses;
  private final SpotRules rules;
  private final long[] reportedMicros;
  private @Nullable Consumer<News> news;
  private int tick;

  /** Plays over a place. */
  public RecordedCloud(Cloud place, Playback playback, Timers timers, Clock clock) {
    this.place = place;
    this.market = playback.market();
    this.timers = timers;
    this.time = new MarketClock(clock, playback.speed(), timers);
    this.rentals = new Rentals(place, timers, playback.speed(), this::report);
    SplittableRandom random = new SplittableRandom(playback.seed());
    this.losses = new PlannedLosses(playback, time, rentals, random);
    this.rules = new SpotRules(market, playback.firstTick(), random);
    this.reportedMicros = new long[market.pools().size()];
  }

  @Override
  public String name() {
    return place.name();
  }

  @Override
  public int limit() {
    return place.limit();
  }

  @Override
  public String prepare(Path folder) throws IOException {
    return place.prepare(folder);
  }

  @Override
  public boolean isHere() {
    return place.isHere();
  }

  @Override
  public MarketView market() {
    return new View();
  }

  @Override
  public Optional<MarketTime> played() {
    return Optional.of(this);
  }

  @Override
  public void pace(double share) {
    time.pace(share);
  }

  @Override
  public double now() {
    return time.now();
  }

  @Override
  public boolean isPast(double seconds) {
    return time.isPast(seconds);
  }

  @Override
  public void at(double seconds, Runnable task) {
    time.at(seconds, task);
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> listener) throws IOException {
    news = listener;
    time.set((double) tenancy.marketMs(), tenancy.share());
    tick = (int) (time.now() / market.tickSeconds());
    for (Tenancy.Held held : tenancy.held()) {
      rentals.add(Rental.of(held));
    }
    place.open(tenancy, this::receive);
    timers.after(0, this::begin);
  }

  private void begin() {
    if (news != null) {
      losses.begin(() -> report(new News.MarketRead()));
      rentals.all().forEach(losses::rented);
      withdrawUnanswered();
      enterTick(true);
    }
  }

  /**
   * Takes nodes back whose orders may have been refused already, if the market has none for them.
   */
  private void withdrawUnanswered() {
    List<Rental> youngest = new ArrayList<>(rentals.all());
    Collections.reverse(youngest);
    for (Rental rental : youngest) {
      int pool = rental.pool();
      if (rental.isSpot()
          && !rental.answered()
          && rentals.held(pool).size() > rules.available(pool, tick)) {
        rentals.take(rental, "the market has no node for it");
      }
    }
  }

  // --- Orders ---

  @Override
  public void order(Order order) {
    if (!rentals.isKnown(order.node())) {
      String why = whyNot(order);
      if (why != null) {
        double until =
            Math.max((tick + 1) * market.tickSeconds(), losses.withheldUntil(order.pool()));
        double wait = Math.max(EARLY_SECONDS, time.realSecondsUntil(until) - EARLY_SECONDS);
        News refused = new News.Refused(order.node(), News.Refusal.CAPACITY, why, wait);
        timers.after(0, () -> report(refused));
        return;
      }
      Rental rental = new Rental(order, time.marketMs(), true, null);
      rentals.add(rental);
      losses.rented(rental);
    }
    place.order(order);
  }

  /** Returns why the market has no node for an order; null if it has one. */
  private @Nullable String whyNot(Order order) {
    int available = spotAvailable(order.pool());
    if (rules.isOver(tick)) {
      return "the market's course has ended";
    }
    return order.market() == Market.SPOT && rentals.held(order.pool()).size() >= available
        ? "the market has %d spot nodes of %s"
            .formatted(available, market.pools().get(order.pool()))
        : null;
  }

  private int spotAvailable(int pool) {
    boolean none = rules.isOver(tick) || time.now() < losses.withheldUntil(pool);
    return none ? 0 : rules.available(pool, tick);
  }

  @Override
  public void end(String node, String reason) {
    rentals.end(node);
    place.end(node, reason);
  }

  /** Passes the news of the place on, except prices: the record has them. */
  private void receive(News fact) {
    if (fact instanceof News.Gone gone) {
      report(rentals.gone(gone));
    } else if (fact instanceof News.Refused refused) {
      rentals.refused(refused.node());
      report(fact);
    } else if (!(fact instanceof News.Priced || fact instanceof News.MarketRead)) {
      report(fact);
    }
  }

  private void report(News fact) {
    Consumer<News> listener = news;
    if (listener != null) {
      listener.accept(fact);
    }
  }

  // --- Ticks ---

  private void enterTick(boolean opening) {
    if (rules.isOver(tick)) {
      report(
          new News.Closed(
              "the run is not done after %.1f h of the market's time, and its course ends there"
                  .formatted(time.now() / 3600)));
      return;
    }
    for (int pool = 0; pool < market.pools().size(); pool++) {
      long micros = Math.round(rules.spotUsdPerHour(pool, tick) * 1e6);
      if (opening || reportedMicros[pool] != micros) {
        reportedMicros[pool] = micros;
        report(new News.Priced(pool, micros));
      }
      int held = rentals.held(pool).size();
      if (!opening || !isWarned(pool, held)) {
        rules.take(pool, tick, held, rentals.fleet(pool, 0));
      }
    }
    report(new News.MarketRead());
    planWarnings(tick);
    time.at((tick + 1) * market.tickSeconds(), this::nextTick);
  }

  /** Whether the warnings of the coordinator before this one still stand in the pool. */
  private boolean isWarned(int pool, int held) {
    return held <= rules.available(pool, tick)
        && rules.falls(pool, tick, held)
        && time.marketMs() >= rules.noticeMs(pool, tick);
  }

  private void nextTick() {
    tick = Math.max(tick + 1, (int) (time.now() / market.tickSeconds()));
    enterTick(false);
  }

  /**
   * Plans when pools may warn. Whether they do is found out then: the owner's orders take a while
   * to arrive, unlike those of a simulation.
   */
  private void planWarnings(int entered) {
    for (int p = 0; p < market.pools().size(); p++) {
      int pool = p;
      long noticeMs = rules.noticeMs(pool, entered);
      if (noticeMs != SpotRules.NEVER) {
        time.at(noticeMs / 1000.0, () -> warn(pool, entered));
      }
    }
  }

  private void warn(int pool, int entered) {
    if (entered == tick && rules.falls(pool, entered, rentals.held(pool).size())) {
      double lead = (entered + 1) * market.tickSeconds() - time.now();
      rules.warn(pool, entered, rentals.fleet(pool, lead));
    }
  }

  @Override
  public void close() {
    news = null;
    time.stop();
    rentals.close();
    place.close();
  }

  private final class View implements MarketView {

    @Override
    public List<Pool> pools() {
      return market.pools();
    }

    @Override
    public double spotUsdPerHour(int pool) {
      return rules.spotUsdPerHour(pool, tick);
    }

    @Override
    public double onDemandUsdPerHour(int pool) {
      return market.onDemandUsdPerHour(pool);
    }

    @Override
    public OptionalInt spotCapacity(int pool) {
      return OptionalInt.of(spotAvailable(pool));
    }

    @Override
    public double tickSeconds() {
      return market.tickSeconds();
    }

    @Override
    public long marketMs() {
      return time.marketMs();
    }
  }
}
