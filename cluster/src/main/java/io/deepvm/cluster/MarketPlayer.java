package io.deepvm.cluster;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.revocation.Revocations;
import io.deepvm.cluster.revocation.Strike;
import io.deepvm.market.Notice;
import io.deepvm.market.SpotMarket;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Plays the market against the run: prices change and nodes are told and taken at the market's
 * times, as fast as the setting says, and what the market does not have cannot be rented.
 */
final class MarketPlayer {

  /** By this the log remembers that a notice is the market's, to be taken back by it alone. */
  private static final String WILL_TAKE = "the market will take it";

  private final Coordinator coordinator;
  private final Setting setting;
  private final SpotMarket market;
  private final SplittableRandom random;
  private final double[] withheldUntil;
  private final MarketClock time;
  private final MarketPace pace;
  private int tick;

  MarketPlayer(Coordinator coordinator, Setting setting, String run) {
    this.coordinator = coordinator;
    this.setting = setting;
    this.market = setting.market();
    this.random = new SplittableRandom(setting.seed() ^ run.hashCode());
    this.withheldUntil = new double[market.pools().size()];
    this.time = new MarketClock(setting.clock(), setting.speed(), coordinator.loop());
    this.pace = new MarketPace(coordinator, setting, time);
  }

  /** Lets the market's time go on from a moment. */
  void open(long marketMs) {
    time.set((double) marketMs, coordinator.history().share());
    tick = (int) (now() / market.tickSeconds());
  }

  /** Begins with the market's tick of this moment. */
  void begin() {
    if (setting.revocations() instanceof Revocations.Script script) {
      for (Strike strike : script.strikes()) {
        plan(strike);
      }
    }
    for (Node node : coordinator.fleet().living()) {
      rented(node);
    }
    enterTick();
  }

  long marketMs() {
    return time.marketMs();
  }

  /** Seconds of the market's time since the run's start. */
  double now() {
    return time.now();
  }

  int spotAvailable(int pool) {
    return isOver() || now() < withheldUntil[pool] ? 0 : market.available(pool, index(tick));
  }

  double spotUsdPerHour(int pool) {
    return market.spotUsdPerHour(pool, index(tick));
  }

  long microsPerHour(int pool, Market kind) {
    double usd = kind == Market.SPOT ? spotUsdPerHour(pool) : market.onDemandUsdPerHour(pool);
    return Math.round(usd * 1e6);
  }

  /** Whether the market's course has ended. */
  private boolean isOver() {
    return setting.firstTick() + tick >= market.ticks();
  }

  /**
   * Returns the market's index of one of the run's ticks; the last is asked for what may follow.
   */
  private int index(int ticks) {
    return Math.min(setting.firstTick() + ticks, market.ticks() - 1);
  }

  // --- Ticks ---

  private void enterTick() {
    if (isOver()) {
      coordinator.conclude(
          RunState.INFEASIBLE,
          "the run is not done after %.1f h of the market's time, and its course ends there"
              .formatted(now() / 3600));
      return;
    }
    for (int pool = 0; pool < market.pools().size(); pool++) {
      long micros = microsPerHour(pool, Market.SPOT);
      if (coordinator.history().spotPrice(pool) != micros) {
        coordinator.journal().write(new Event.Priced(pool, micros));
      }
      revoke(pool);
    }
    coordinator.decide(true);
    foresee();
    at((tick + 1) * market.tickSeconds(), this::nextTick);
  }

  private void nextTick() {
    tick = Math.max(tick + 1, (int) (now() / market.tickSeconds()));
    enterTick();
  }

  /** Takes what the market has no more: first those that were told, then by lot. */
  private void revoke(int pool) {
    List<Node> held = spot(pool);
    int excess = held.size() - market.available(pool, index(tick));
    List<Node> told = held.stream().filter(this::told).toList();
    List<Node> untold = new ArrayList<>(held);
    untold.removeAll(told);
    for (Node node : told) {
      if (excess > 0) {
        excess--;
        coordinator.fleet().strike(node, "taken by the market after a notice");
      } else {
        coordinator.fleet().spare(node);
      }
    }
    for (; excess > 0; excess--) {
      coordinator.fleet().strike(pick(untold), "taken by the market");
    }
  }

  /** Finds out which pools will take nodes at the next tick, and when they say so. */
  private void foresee() {
    for (int p = 0; p < market.pools().size(); p++) {
      int pool = p;
      Notice notice = market.notice(pool);
      int next = market.available(pool, index(tick + 1));
      if (notice.leadSeconds() > 0 && spot(pool).size() > next) {
        double lead = Math.min(market.tickSeconds(), notice.leadSeconds());
        at((tick + 1) * market.tickSeconds() - lead, () -> giveNotices(pool, next, lead));
      }
    }
  }

  private void giveNotices(int pool, int next, double lead) {
    List<Node> untold = new ArrayList<>(spot(pool));
    int doomed = untold.size() - next;
    untold.removeIf(this::noticed);
    for (; doomed > 0 && !untold.isEmpty(); doomed--) {
      Node node = pick(untold);
      if (random.nextDouble() < market.notice(pool).reliability()) {
        coordinator.fleet().notice(node, lead / setting.speed(), WILL_TAKE);
      }
    }
    coordinator.decide(false);
  }

  // --- Other ways to lose nodes ---

  /** Lets the market's time pass as fast as the nodes' processes allow. */
  void checkPace() {
    pace.check();
  }

  /** Draws how long the node will live, if that is how nodes are lost. */
  void rented(Node node) {
    pace.rented(node);
    if (!(setting.revocations() instanceof Revocations.Hazard hazard)
        || node.rented.market() != Market.SPOT
        || hazard.perHour() <= 0) {
      return;
    }
    // A coordinator that comes back draws the same again.
    SplittableRandom own =
        new SplittableRandom(setting.seed() * 1_000_003 + node.name().hashCode());
    double life = -Math.log(1 - own.nextDouble()) / hazard.perHour() * 3600;
    double end = node.rentedMs / 1000.0 + life;
    if (hazard.noticeSeconds() > 0) {
      at(
          end - hazard.noticeSeconds(),
          () -> {
            coordinator
                .fleet()
                .notice(node, hazard.noticeSeconds() / setting.speed(), "its time is over soon");
            coordinator.decide(false);
          });
    }
    at(end, () -> coordinator.fleet().strike(node, "its time was over"));
  }

  private void plan(Strike strike) {
    if (strike.atSeconds() < now()) {
      return;
    }
    List<Node> told = new ArrayList<>();
    if (strike.noticeSeconds() > 0) {
      at(
          strike.atSeconds() - strike.noticeSeconds(),
          () -> {
            told.addAll(choose(strike));
            for (Node node : told) {
              coordinator
                  .fleet()
                  .notice(
                      node, strike.noticeSeconds() / setting.speed(), "the script will take it");
            }
            coordinator.decide(false);
          });
    }
    at(
        strike.atSeconds(),
        () -> {
          for (int p = 0; p < withheldUntil.length; p++) {
            if (strike.pool() < 0 || strike.pool() == p) {
              withheldUntil[p] = strike.atSeconds() + strike.withheldSeconds();
            }
          }
          List<Node> chosen = strike.noticeSeconds() > 0 ? told : choose(strike);
          chosen.forEach(node -> coordinator.fleet().strike(node, "taken by the script"));
        });
    if (strike.withheldSeconds() > 0) {
      at(strike.atSeconds() + strike.withheldSeconds(), () -> coordinator.decide(false));
    }
  }

  private List<Node> choose(Strike strike) {
    List<Node> candidates = new ArrayList<>();
    for (int p = 0; p < withheldUntil.length; p++) {
      if (strike.pool() < 0 || strike.pool() == p) {
        candidates.addAll(spot(p));
      }
    }
    candidates.removeIf(this::noticed);
    List<Node> chosen = new ArrayList<>();
    while (chosen.size() < strike.count() && !candidates.isEmpty()) {
      chosen.add(pick(candidates));
    }
    return chosen;
  }

  // --- Small things ---

  private List<Node> spot(int pool) {
    return coordinator.fleet().living().stream()
        .filter(node -> node.rented.pool() == pool && node.rented.market() == Market.SPOT)
        .filter(node -> node.taken == null)
        .toList();
  }

  private boolean noticed(Node node) {
    return coordinator.history().state(node.name()) == NodeState.NOTICED;
  }

  /** Whether the market itself told the node. */
  private boolean told(Node node) {
    return noticed(node) && coordinator.history().reason(node.name()).equals(WILL_TAKE);
  }

  private Node pick(List<Node> from) {
    return from.remove(random.nextInt(from.size()));
  }

  private void at(double seconds, Loop.Step step) {
    time.at(seconds, step);
  }
}
