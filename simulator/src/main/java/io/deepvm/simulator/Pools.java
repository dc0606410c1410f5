package io.deepvm.simulator;

import io.deepvm.catalog.Market;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.SpotRules;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The pools of one simulated run: their prices, the nodes rented from them, and their bill. */
final class Pools implements SpotRules.Fleet {

  private static final long NEVER = SpotRules.NEVER;

  /** Keeps the seed of crashes apart from those of runs and pools, which are small numbers. */
  private static final int CRASHES = -17;

  /**
   * The changes of the members since the last generation.
   *
   * @param lost whether a member was lost, not given back
   * @param leavingSpotMicros hourly price of the spot nodes given back that had the state
   * @param leavingOnDemandMicros hourly price of the on-demand nodes given back that had the state
   */
  record Change(boolean lost, long leavingSpotMicros, long leavingOnDemandMicros) {}

  /** The nodes held in one pool on one market; members are those that are up. */
  private static final class Share {

    private final Charge charge;
    private long micros;
    private int held;
    private int booting;
    private int members;

    private Share(Charge charge) {
      this.charge = charge;
    }
  }

  private final Scenario scenario;
  private final SpotMarket market;
  private final RunTime time;
  private final Ledger ledger;
  private final @Nullable Recorder recorder;
  // A source of its own: without crashes a run is the same as if there were none.
  private final SplittableRandom crashes;
  private final Nodes nodes = new Nodes();
  private final Share[] spot;
  private final Share[] onDemand;

  private boolean changed;
  private boolean lost;
  private long leavingSpotMicros;
  private long leavingOnDemandMicros;
  private int revocations;

  Pools(
      Scenario scenario,
      SpotMarket market,
      RunTime time,
      Ledger ledger,
      long seed,
      @Nullable Recorder recorder) {
    this.scenario = scenario;
    this.market = market;
    this.time = time;
    this.ledger = ledger;
    this.recorder = recorder;
    this.crashes = new SplittableRandom(Experiment.seedOf(seed, CRASHES));
    int count = market.pools().size();
    spot = new Share[count];
    onDemand = new Share[count];
    for (int p = 0; p < count; p++) {
      spot[p] = new Share(Charge.SPOT);
      onDemand[p] = new Share(Charge.ON_DEMAND);
      onDemand[p].micros = Math.round(market.onDemandUsdPerHour(p) * 1e6);
    }
  }

  // --- Counts and prices ---

  int count() {
    return spot.length;
  }

  int held(int pool, Market kind) {
    return share(pool, kind == Market.ON_DEMAND).held;
  }

  int booting(int pool, Market kind) {
    return share(pool, kind != Market.SPOT).booting;
  }

  int members(int pool) {
    return spot[pool].members + onDemand[pool].members;
  }

  double usdPerHour(int pool, Market kind) {
    return share(pool, kind == Market.ON_DEMAND).micros / 1e6;
  }

  int revocations() {
    return revocations;
  }

  /** Returns the spot nodes of the pool that have notice. */
  int noticed(int pool) {
    int count = 0;
    for (int i = 0; i < nodes.size; i++) {
      count += nodes.pool[i] == pool && nodes.noticed[i] ? 1 : 0;
    }
    return count;
  }

  /** Returns whether at least half of the members have notice. */
  boolean halfHasNotice() {
    int members = 0;
    int noticed = 0;
    for (int i = 0; i < nodes.size; i++) {
      members += nodes.member[i] ? 1 : 0;
      noticed += nodes.member[i] && nodes.noticed[i] ? 1 : 0;
    }
    return 2 * noticed >= members;
  }

  /** Returns how many more spot nodes the pool has. */
  int free(int pool) {
    return market.available(pool, time.marketTick()) - spot[pool].held;
  }

  /** Sets the pool's spot price to that of the present tick. */
  void reprice(int pool) {
    spot[pool].micros = Math.round(market.spotUsdPerHour(pool, time.marketTick()) * 1e6);
  }

  // --- Nodes come and go ---

  /** Rents the node that trains and keeps the checkpoints. */
  void rentAnchor(int pool) {
    add(pool, true, true);
  }

  /** Rents nodes and returns how many there were. */
  int rent(int pool, Market kind, int count) {
    int granted = kind == Market.ON_DEMAND ? count : Math.min(count, free(pool));
    for (int i = 0; i < granted; i++) {
      add(pool, kind == Market.ON_DEMAND, false);
    }
    return Math.max(0, granted);
  }

  /** Gives nodes back, the youngest first. */
  void release(int pool, Market kind, int count) {
    boolean stays = kind == Market.ON_DEMAND;
    int left = count;
    for (int i = nodes.size - 1; i >= 0 && left > 0; i--) {
      if (nodes.pool[i] == pool && nodes.onDemand[i] == stays && !nodes.anchor[i]) {
        end(i, false);
        left--;
      }
    }
  }

  void releaseAll() {
    for (int i = nodes.size - 1; i >= 0; i--) {
      end(i, false);
    }
  }

  /** Pays for spot nodes that were rented for the shortest time only. */
  void payProbe(int pool, int count) {
    ledger.nodes(Charge.SPOT, Activity.UNUSED, count, spot[pool].micros, msMinimum());
  }

  /** Lets the nodes that have come up join; returns whether there were any. */
  boolean boot() {
    boolean joined = false;
    for (int i = 0; i < nodes.size; i++) {
      if (!nodes.member[i] && nodes.readyMs[i] <= time.nowMs()) {
        join(i);
        joined = true;
      }
    }
    return joined;
  }

  /** Ends the nodes that crash at this moment; returns whether there were any. */
  boolean crash() {
    boolean any = false;
    for (int i = nodes.size - 1; i >= 0; i--) {
      if (nodes.crashMs[i] <= time.nowMs()) {
        take(i);
        any = true;
      }
    }
    return any;
  }

  /** Returns the next moment at which a node is up or crashes; the given one if that is earlier. */
  long nextEventMs(long earliest) {
    long next = earliest;
    for (int i = 0; i < nodes.size; i++) {
      if (nodes.readyMs[i] > time.nowMs()) {
        next = Math.min(next, nodes.readyMs[i]);
      }
      next = Math.min(next, nodes.crashMs[i]);
    }
    return next;
  }

  private void add(int pool, boolean stays, boolean anchor) {
    Startup startup = scenario.startup();
    long boot =
        Math.round(1000 * (stays ? startup.onDemandBootSeconds() : startup.spotBootSeconds()));
    long now = time.nowMs();
    int i = nodes.add(pool, stays, anchor, now, now + boot, anchor ? NEVER : crashMs(pool));
    if (scenario.billing().usdPerBoot() > 0) {
      ledger.lump(Charge.TRAFFIC, scenario.billing().usdPerBoot());
    }
    Share share = share(pool, stays);
    share.held++;
    share.booting++;
    if (recorder != null) {
      recorder.rented(nodes.id[i], pool, stays ? Market.ON_DEMAND : Market.SPOT, time.now());
    }
    if (boot == 0) {
      join(i);
    }
  }

  /** Draws when a node that is rented now will crash. */
  private long crashMs(int pool) {
    double perHour = market.crashesPerNodeHour(pool);
    if (perHour == 0) {
      return NEVER;
    }
    double hours = -Math.log(1 - crashes.nextDouble()) / perHour;
    return time.nowMs() + Math.max(1, Math.round(hours * 3.6e6));
  }

  private void join(int i) {
    nodes.member[i] = true;
    Share share = share(nodes.pool[i], nodes.onDemand[i]);
    share.booting--;
    share.members++;
    changed = true;
  }

  private void end(int i, boolean revoked) {
    boolean stays = nodes.onDemand[i];
    boolean wasMember = nodes.member[i];
    Share share = share(nodes.pool[i], stays);
    share.held--;
    share.members -= wasMember ? 1 : 0;
    share.booting -= wasMember ? 0 : 1;
    payUnused(i, share);
    if (nodes.holds[i] && !revoked) {
      leavingSpotMicros += stays ? 0 : share.micros;
      leavingOnDemandMicros += stays ? share.micros : 0;
    }
    if (recorder != null) {
      recorder.ended(nodes.id[i], revoked, time.now());
    }
    nodes.remove(i);
    if (wasMember) {
      changed = true;
      lost |= revoked;
    }
  }

  private Share share(int pool, boolean stays) {
    return stays ? onDemand[pool] : spot[pool];
  }

  // --- Members and their state ---

  /** Returns whether a member came or left since the last call of {@link #takeChange}. */
  boolean changed() {
    return changed;
  }

  Change takeChange() {
    Change change = new Change(lost, leavingSpotMicros, leavingOnDemandMicros);
    changed = false;
    lost = false;
    leavingSpotMicros = 0;
    leavingOnDemandMicros = 0;
    return change;
  }

  /** Returns whether a node has the state in memory. */
  boolean stateInMemory() {
    for (int i = 0; i < nodes.size; i++) {
      if (nodes.holds[i]) {
        return true;
      }
    }
    return false;
  }

  /** Gives the state to all members. */
  void holdState() {
    for (int i = 0; i < nodes.size; i++) {
      nodes.holds[i] = nodes.member[i];
    }
  }

  void dropState() {
    Arrays.fill(nodes.holds, 0, nodes.size, false);
  }

  /** Reports to the recorder what the members do from now on. */
  void record(Activity doing) {
    if (recorder != null) {
      for (int i = 0; i < nodes.size; i++) {
        if (nodes.member[i]) {
          recorder.turned(nodes.id[i], doing, time.now());
        }
      }
    }
  }

  // --- The bill ---

  /** Pays all nodes for some milliseconds, in which the members did the same. */
  void pay(Activity doing, long ms) {
    if (scenario.billing().diskUsdPerNodeHour() > 0) {
      double usdPerHour = nodes.size * scenario.billing().diskUsdPerNodeHour();
      ledger.rate(Charge.STORAGE, Math.round(usdPerHour * 1e6), ms);
    }
    for (int p = 0; p < spot.length; p++) {
      pay(spot[p], doing, ms);
      pay(onDemand[p], doing, ms);
    }
  }

  private void pay(Share share, Activity doing, long ms) {
    if (share.booting > 0) {
      ledger.nodes(share.charge, Activity.BOOTING, share.booting, share.micros, ms);
    }
    if (share.members > 0) {
      ledger.nodes(share.charge, doing, share.members, share.micros, ms);
    }
  }

  /** Pays what the cloud charges beyond a node's life. */
  private void payUnused(int i, Share share) {
    long life = time.nowMs() - nodes.bornMs[i];
    long grain = Math.max(1, Math.round(scenario.billing().granularitySeconds() * 1000));
    long paid = Math.max((life + grain - 1) / grain * grain, msMinimum());
    if (paid > life) {
      ledger.nodes(share.charge, Activity.UNUSED, 1, share.micros, paid - life);
    }
  }

  private long msMinimum() {
    return Math.round(scenario.billing().minimumSeconds() * 1000);
  }

  // --- The nodes as the spot market's rules see them ---

  @Override
  public int size() {
    return nodes.size;
  }

  @Override
  public boolean isSpot(int node, int pool) {
    return nodes.pool[node] == pool && !nodes.onDemand[node];
  }

  @Override
  public SpotRules.Warning warning(int node) {
    return nodes.noticed[node] ? SpotRules.Warning.MARKET : SpotRules.Warning.NONE;
  }

  @Override
  public void warn(int node) {
    nodes.noticed[node] = true;
    if (recorder != null) {
      recorder.noticed(nodes.id[node], time.now());
    }
  }

  @Override
  public void spare(int node) {
    nodes.noticed[node] = false;
  }

  @Override
  public void take(int node) {
    revocations++;
    end(node, true);
  }
}
