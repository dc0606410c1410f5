package io.deepvm.places.recorded;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Takes nodes as a hazard or a script says, besides the nodes that the market takes. */
final class PlannedLosses {

  private final Playback playback;
  private final MarketClock time;
  private final Rentals rentals;
  private final SplittableRandom random;
  private final double[] withheldUntil;
  // The nodes that the script has chosen.
  private final Set<String> chosen = new HashSet<>();

  PlannedLosses(Playback playback, MarketClock time, Rentals rentals, SplittableRandom random) {
    this.playback = playback;
    this.time = time;
    this.rentals = rentals;
    this.random = random;
    this.withheldUntil = new double[playback.market().pools().size()];
  }

  /** Returns the market's time in seconds before which the pool gives no spot node. */
  double withheldUntil(int pool) {
    return withheldUntil[pool];
  }

  /**
   * Plans the script, if there is one.
   *
   * @param restored runs whenever nodes can be had again that were withheld
   */
  void begin(Runnable restored) {
    if (playback.revocations() instanceof Revocations.Script script) {
      script.strikes().stream()
          .filter(strike -> strike.atSeconds() >= time.now())
          .forEach(strike -> plan(strike, restored));
    }
  }

  private void plan(Strike strike, Runnable restored) {
    double at = strike.atSeconds();
    List<Rental> warned = new ArrayList<>();
    if (strike.noticeSeconds() > 0) {
      time.at(
          at - strike.noticeSeconds(),
          () -> {
            warned.addAll(choose(strike));
            double left = Math.min(strike.noticeSeconds(), at - time.now());
            warned.forEach(rental -> rentals.notice(rental, Rental.Notifier.SCRIPT, left));
          });
    }
    time.at(
        at,
        () -> {
          for (int pool = 0; pool < withheldUntil.length; pool++) {
            if (strike.takesFrom(pool)) {
              withheldUntil[pool] = at + strike.withheldSeconds();
            }
          }
          List<Rental> taken = strike.noticeSeconds() > 0 ? warned : choose(strike);
          taken.forEach(rental -> rentals.take(rental, "taken by the script"));
        });
    if (strike.withheldSeconds() > 0) {
      time.at(at + strike.withheldSeconds(), restored);
    }
  }

  /**
   * Returns the nodes that a strike takes: first the ones that the script of a coordinator before
   * this one warned, then others by lot.
   */
  private List<Rental> choose(Strike strike) {
    List<Rental> nodes = new ArrayList<>();
    List<Rental> candidates = new ArrayList<>();
    for (int pool = 0; pool < withheldUntil.length; pool++) {
      for (Rental rental : strike.takesFrom(pool) ? rentals.held(pool) : List.<Rental>of()) {
        if (rental.notifier() == null) {
          candidates.add(rental);
        } else if (rental.notifier() == Rental.Notifier.SCRIPT
            && !chosen.contains(rental.node())
            && nodes.size() < strike.count()) {
          nodes.add(rental);
        }
      }
    }
    while (nodes.size() < strike.count() && !candidates.isEmpty()) {
      nodes.add(candidates.remove(random.nextInt(candidates.size())));
    }
    nodes.forEach(rental -> chosen.add(rental.node()));
    return nodes;
  }

  /** Draws how long a node will live, if there is a hazard. */
  void rented(Rental rental) {
    if (!(playback.revocations() instanceof Revocations.Hazard hazard)
        || !rental.isSpot()
        || hazard.perHour() <= 0) {
      return;
    }
    // A coordinator that comes back draws the same again.
    SplittableRandom own =
        new SplittableRandom(playback.seed() * 1_000_003 + rental.node().hashCode());
    double life = -Math.log(1 - own.nextDouble()) / hazard.perHour() * 3600;
    double end = rental.rentedSeconds() + life;
    if (hazard.noticeSeconds() > 0) {
      time.at(
          end - hazard.noticeSeconds(),
          () -> rentals.notice(rental, Rental.Notifier.HAZARD, hazard.noticeSeconds()));
    }
    time.at(end, () -> rentals.take(rental, "its time was over"));
  }
}
