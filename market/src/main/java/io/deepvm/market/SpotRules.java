package io.deepvm.market;

import java.util.SplittableRandom;

/**
 * Which nodes a recorded market warns and takes, for simulations and for runs alike.
 *
 * <ul>
 *   <li>Capacity changes at ticks. A pool that will have fewer nodes at the next tick than are held
 *       warns before that tick, by the lead of its notice. It warns 1 ms after the tick before at
 *       the earliest, when the decisions of that tick are made.
 *   <li>It draws one node for each node too many, among the nodes without a notice. The notice
 *       comes with its reliability; a node whose notice fails may be drawn again.
 *   <li>At the tick, it takes as many nodes as are too many: first the warned ones, the youngest
 *       first, then others by lot. A warned node that it does not take is spared.
 * </ul>
 */
public final class SpotRules {

  /** No time at all. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The source of the notice that a node will be taken. */
  public enum Warning {
    NONE,
    /** The market, by these rules. */
    MARKET,
    /** Another cause; the market does not take that notice back. */
    OTHER
  }

  /** The nodes of a run, oldest first. */
  public interface Fleet {

    /** Returns the number of nodes, of all pools and kinds. */
    int size();

    /** Whether the node is a spot node of the pool, and not taken yet. */
    boolean isSpot(int node, int pool);

    /** Returns the warning that stands. */
    Warning warning(int node);

    /** Announces that the node will be taken. */
    void warn(int node);

    /** Takes a warning of the market back. */
    void spare(int node);

    /** Takes a node; the younger ones move down by one. */
    void take(int node);
  }

  private final SpotMarket market;
  private final int firstTick;
  private final SplittableRandom random;
  private final long tickMs;

  /** Applies the rules to a market from one of its ticks on; other methods count from that tick. */
  public SpotRules(SpotMarket market, int firstTick, SplittableRandom random) {
    this.market = market;
    this.firstTick = firstTick;
    this.random = random;
    this.tickMs = Math.round(market.tickSeconds() * 1000);
  }

  /** Whether the record has no such tick any more. */
  public boolean isOver(int tick) {
    return firstTick + tick >= market.ticks();
  }

  /** Returns the spot nodes that the pool has in the tick; the last recorded tick goes on. */
  public int available(int pool, int tick) {
    return market.available(pool, index(tick));
  }

  /** Returns the price of the pool's spot nodes in the tick; the last recorded tick goes on. */
  public double spotUsdPerHour(int pool, int tick) {
    return market.spotUsdPerHour(pool, index(tick));
  }

  private int index(int tick) {
    return Math.min(firstTick + tick, market.ticks() - 1);
  }

  /** Whether the pool will take nodes at the next tick if this many are held. */
  public boolean falls(int pool, int tick, int held) {
    return !isOver(tick + 1) && held > available(pool, tick + 1);
  }

  /**
   * Returns when the pool announces in a tick that it will take nodes at the next, in milliseconds
   * since the first tick; {@link #NEVER} if it gives no notice.
   */
  public long noticeMs(int pool, int tick) {
    double lead = market.notice(pool).leadSeconds();
    return lead <= 0 ? NEVER : (tick + 1) * tickMs - Math.min(tickMs - 1, Math.round(lead * 1000));
  }

  /** Warns the nodes that will be too many at the next tick; returns whether any was warned. */
  public boolean warn(int pool, int tick, Fleet fleet) {
    int doomed = -available(pool, tick + 1);
    for (int i = 0; i < fleet.size(); i++) {
      if (fleet.isSpot(i, pool) && fleet.warning(i) != Warning.MARKET) {
        doomed++;
      }
    }
    boolean any = false;
    for (; doomed > 0; doomed--) {
      int node = draw(pool, fleet, true);
      if (node >= 0 && random.nextDouble() < market.notice(pool).reliability()) {
        fleet.warn(node);
        any = true;
      }
    }
    return any;
  }

  /**
   * Takes the nodes that are too many in a tick that begins, and spares the other warned ones.
   *
   * @param held the spot nodes of the pool
   */
  public void take(int pool, int tick, int held, Fleet fleet) {
    int excess = held - available(pool, tick);
    for (int i = fleet.size() - 1; i >= 0; i--) {
      if (fleet.isSpot(i, pool) && fleet.warning(i) == Warning.MARKET) {
        if (excess > 0) {
          excess--;
          fleet.take(i);
        } else {
          fleet.spare(i);
        }
      }
    }
    for (; excess > 0; excess--) {
      fleet.take(draw(pool, fleet, false));
    }
  }

  /** Returns one of the pool's spot nodes by lot; -1 if there is none. */
  private int draw(int pool, Fleet fleet, boolean unwarned) {
    int candidates = 0;
    for (int i = 0; i < fleet.size(); i++) {
      candidates += isCandidate(i, pool, fleet, unwarned) ? 1 : 0;
    }
    if (candidates == 0) {
      return -1;
    }
    int chosen = candidates == 1 ? 0 : random.nextInt(candidates);
    for (int i = 0; i < fleet.size(); i++) {
      if (isCandidate(i, pool, fleet, unwarned) && chosen-- == 0) {
        return i;
      }
    }
    throw new IllegalStateException("a candidate vanished");
  }

  private static boolean isCandidate(int node, int pool, Fleet fleet, boolean unwarned) {
    return fleet.isSpot(node, pool) && (!unwarned || fleet.warning(node) == Warning.NONE);
  }
}
