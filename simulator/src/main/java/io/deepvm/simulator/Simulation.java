package io.deepvm.simulator;

import io.deepvm.catalog.Market;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.SpotRules;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One run: a scenario and a policy lived through a market from one of its ticks on.
 *
 * <p>Time jumps from event to event; whole milliseconds and integer money make a run the same on
 * every machine. Capacity changes at ticks, and nodes are warned and taken by {@link SpotRules}. A
 * node may also crash, at any time and without notice; an anchor that trains does not, because its
 * disk outlives it.
 */
public final class Simulation implements Cluster {

  private static final long NEVER = SpotRules.NEVER;

  /** Tells the seed of crashes from those of runs and pools, which are small numbers. */
  private static final int CRASHES = -17;

  /** What the members do at a moment. */
  private enum Phase {
    DOWN,
    FORMING,
    TRAINING,
    STALLED
  }

  private final Scenario scenario;
  private final Checkpointing checkpointing;
  private final SpotMarket market;
  private final int firstTick;
  private final Policy policy;
  private final SpotRules rules;
  private final SpotFleet fleet = new SpotFleet();
  // A source of its own: without crashes a run is the same as if there were none.
  private final SplittableRandom crashes;
  private final @Nullable Recorder recorder;

  private final int pools;
  private final long tickMs;
  private final long[] spotMicros;
  private final long[] onDemandMicros;
  private final Ledger ledger = new Ledger();
  private final Nodes nodes = new Nodes();

  // Counts by pool: held nodes of each market, and those of them that are members.
  private final int[] spotHeld;
  private final int[] onDemandHeld;
  private final int[] spotMembers;
  private final int[] onDemandMembers;
  private final int[] spotBooting;
  private final int[] onDemandBooting;
  private final int[] members;
  private final long[] noticeAtMs;

  private long nowMs;
  private int tick;
  private Phase phase = Phase.DOWN;
  private long phaseEndMs = NEVER;
  private double speed;
  private long trafficMicros;
  private double done;
  private double safe;
  private int home = -1;
  private boolean stateHeld;
  private boolean membershipChanged;
  private boolean memberLost;

  // When members that were all new are up to speed, whoever joins or leaves them meanwhile.
  private long freshEndMs = NEVER;

  // The hourly price of the state's holders that were given back since the last generation.
  private long leavingSpotMicros;
  private long leavingOnDemandMicros;

  // The checkpoint on its way, if any.
  private long shipEndMs = NEVER;
  private double shipping;
  private long[] shippingUseful = {0, 0, 0};
  private long trainedMs;
  private long trainedAtCheckpointMs;

  private int revocations;
  private int setbacks;
  private int generations;
  private int checkpoints;

  private Simulation(
      Scenario scenario,
      SpotMarket market,
      int firstTick,
      Policy policy,
      long seed,
      @Nullable Recorder recorder) {
    this.scenario = scenario;
    this.checkpointing = scenario.checkpointing();
    this.market = market;
    this.firstTick = firstTick;
    this.policy = policy;
    this.rules = new SpotRules(market, firstTick, new SplittableRandom(seed));
    this.crashes = new SplittableRandom(Experiment.seedOf(seed, CRASHES));
    this.recorder = recorder;
    this.pools = market.pools().size();
    this.tickMs = Math.round(market.tickSeconds() * 1000);
    this.spotMicros = new long[pools];
    this.onDemandMicros = new long[pools];
    this.spotHeld = new int[pools];
    this.onDemandHeld = new int[pools];
    this.spotMembers = new int[pools];
    this.onDemandMembers = new int[pools];
    this.spotBooting = new int[pools];
    this.onDemandBooting = new int[pools];
    this.members = new int[pools];
    this.noticeAtMs = new long[pools];
    for (int p = 0; p < pools; p++) {
      onDemandMicros[p] = Math.round(market.onDemandUsdPerHour(p) * 1e6);
    }
  }

  /** Lives through the market from one of its ticks until the work is done or the record ends. */
  public static Outcome run(
      Scenario scenario,
      SpotMarket market,
      int firstTick,
      Policy policy,
      long seed,
      @Nullable Recorder recorder) {
    return new Simulation(scenario, market, firstTick, policy, seed, recorder).live();
  }

  private Outcome live() {
    if (scenario.anchorPool() >= 0) {
      add(scenario.anchorPool(), true, true);
    }
    enterTick();
    while (true) {
      settle();
      if (isDone()) {
        return outcome(true);
      }
      if (firstTick + tick >= market.ticks()) {
        return outcome(false);
      }
      advance(nextEvent());
      endShipping();
      boolean formed = endPhase();
      if (!isDone()) {
        boolean crashed = crash();
        if (nowMs == (tick + 1) * tickMs) {
          tick++;
          if (firstTick + tick < market.ticks()) {
            enterTick();
          }
        } else {
          giveNotices();
          boolean joined = boot();
          if (joined || crashed) {
            regroup();
            policy.decide(this, false);
          } else if (formed) {
            policy.decide(this, false);
          }
        }
      }
    }
  }

  // --- Time ---

  /** Returns the moment at which something happens next. */
  private long nextEvent() {
    long next = Math.min((tick + 1) * tickMs, Math.min(phaseEndMs, shipEndMs));
    for (int i = 0; i < nodes.size; i++) {
      if (nodes.readyMs[i] > nowMs) {
        next = Math.min(next, nodes.readyMs[i]);
      }
      next = Math.min(next, nodes.crashMs[i]);
    }
    for (int p = 0; p < pools; p++) {
      next = Math.min(next, noticeAtMs[p]);
    }
    if (phase == Phase.TRAINING) {
      next = Math.min(next, nowMs + msUntilDone());
      next = Math.min(next, nowMs + msUntilCheckpoint());
    }
    return next;
  }

  private long msUntilDone() {
    return speed <= 0 ? NEVER / 4 : Math.max(1, (long) Math.ceil(left() / speed * 1000 - 1e-6));
  }

  /** Pays, and trains if the members train, until a moment. */
  private void advance(long untilMs) {
    long ms = untilMs - nowMs;
    if (ms == 0) {
      return;
    }
    Activity doing =
        switch (phase) {
          case TRAINING -> Activity.USEFUL;
          case STALLED -> Activity.STALLED;
          case FORMING, DOWN -> Activity.WAITING;
        };
    for (int p = 0; p < pools; p++) {
      if (spotHeld[p] > 0) {
        pay(Charge.SPOT, doing, spotHeld[p], spotBooting[p], spotMembers[p], spotMicros[p], ms);
      }
      if (onDemandHeld[p] > 0) {
        pay(
            Charge.ON_DEMAND,
            doing,
            onDemandHeld[p],
            onDemandBooting[p],
            onDemandMembers[p],
            onDemandMicros[p],
            ms);
      }
    }
    if (scenario.anchors() > 0) {
      // The anchors' price is that of all of them; their time is counted one by one.
      ledger.nodes(Charge.ANCHOR, Activity.ANCHORING, 1, scenario.anchorsPerHour().micros(), ms);
      ledger.nodes(Charge.ANCHOR, Activity.ANCHORING, scenario.anchors() - 1, 0, ms);
    }
    if (phase == Phase.TRAINING) {
      done = Math.min(scenario.work(), done + speed * (ms / 1000.0));
      trainedMs += ms;
      if (trafficMicros > 0) {
        ledger.rate(Charge.TRAFFIC, trafficMicros, ms);
      }
    }
    nowMs = untilMs;
  }

  private void pay(
      Charge charge, Activity doing, int held, int booting, int inside, long micros, long ms) {
    if (booting > 0) {
      ledger.nodes(charge, Activity.BOOTING, booting, micros, ms);
    }
    if (inside > 0) {
      ledger.nodes(charge, doing, inside, micros, ms);
    }
    int idle = held - booting - inside;
    if (idle > 0) {
      ledger.nodes(charge, Activity.WAITING, idle, micros, ms);
    }
  }

  // --- The market ---

  /** Begins a tick: new prices, nodes taken, the policy asked. */
  private void enterTick() {
    int at = firstTick + tick;
    for (int p = 0; p < pools; p++) {
      spotMicros[p] = Math.round(market.spotUsdPerHour(p, at) * 1e6);
      rules.take(p, tick, spotHeld[p], fleet);
      noticeAtMs[p] = NEVER;
    }
    boot();
    regroup();
    if (recorder != null) {
      recorder.spent(ledger.total().dollars(), now());
    }
    policy.decide(this, true);
    foresee();
  }

  /** Finds out which pools will take nodes at the next tick, and when they announce it. */
  private void foresee() {
    for (int p = 0; p < pools; p++) {
      if (rules.falls(p, tick, spotHeld[p])) {
        noticeAtMs[p] = rules.noticeMs(p, tick);
      }
    }
  }

  private void giveNotices() {
    boolean warned = false;
    for (int p = 0; p < pools; p++) {
      if (noticeAtMs[p] == nowMs) {
        noticeAtMs[p] = NEVER;
        warned |= rules.warn(p, tick, fleet);
      }
    }
    if (warned) {
      saveJustInTime();
      policy.decide(this, false);
    }
  }

  /** The nodes as the market sees them. */
  private final class SpotFleet implements SpotRules.Fleet {

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
        recorder.noticed(nodes.id[node], now());
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

  // --- Nodes ---

  private void add(int pool, boolean onDemand, boolean anchor) {
    long boot =
        Math.round(
            1000
                * (onDemand
                    ? scenario.startup().onDemandBootSeconds()
                    : scenario.startup().spotBootSeconds()));
    int i = nodes.add(pool, onDemand, anchor, nowMs, nowMs + boot, anchor ? NEVER : crashMs(pool));
    if (onDemand) {
      onDemandHeld[pool]++;
      onDemandBooting[pool]++;
    } else {
      spotHeld[pool]++;
      spotBooting[pool]++;
    }
    if (recorder != null) {
      recorder.rented(nodes.id[i], pool, onDemand ? Market.ON_DEMAND : Market.SPOT, now());
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
    return nowMs + Math.max(1, Math.round(hours * 3.6e6));
  }

  /** Ends the nodes that crash at this moment; returns whether there were any. */
  private boolean crash() {
    boolean any = false;
    for (int i = nodes.size - 1; i >= 0; i--) {
      if (nodes.crashMs[i] <= nowMs) {
        revocations++;
        end(i, true);
        any = true;
      }
    }
    return any;
  }

  /** Lets the nodes that have come up join; returns whether there were any. */
  private boolean boot() {
    boolean joined = false;
    for (int i = 0; i < nodes.size; i++) {
      if (!nodes.member[i] && nodes.readyMs[i] <= nowMs) {
        join(i);
        joined = true;
      }
    }
    return joined;
  }

  private void join(int i) {
    int p = nodes.pool[i];
    nodes.member[i] = true;
    if (nodes.onDemand[i]) {
      onDemandBooting[p]--;
      onDemandMembers[p]++;
    } else {
      spotBooting[p]--;
      spotMembers[p]++;
    }
    membershipChanged = true;
  }

  private void end(int i, boolean revoked) {
    int p = nodes.pool[i];
    boolean onDemand = nodes.onDemand[i];
    boolean wasMember = nodes.member[i];
    if (onDemand) {
      onDemandHeld[p]--;
      onDemandMembers[p] -= wasMember ? 1 : 0;
      onDemandBooting[p] -= wasMember ? 0 : 1;
    } else {
      spotHeld[p]--;
      spotMembers[p] -= wasMember ? 1 : 0;
      spotBooting[p] -= wasMember ? 0 : 1;
    }
    payUnused(i);
    if (nodes.holds[i] && !revoked) {
      leavingSpotMicros += onDemand ? 0 : spotMicros[p];
      leavingOnDemandMicros += onDemand ? onDemandMicros[p] : 0;
    }
    if (recorder != null) {
      recorder.ended(nodes.id[i], revoked, now());
    }
    nodes.remove(i);
    if (wasMember) {
      membershipChanged = true;
      memberLost |= revoked;
    }
  }

  /** Pays what the cloud charges beyond a node's life. */
  private void payUnused(int i) {
    long life = nowMs - nodes.bornMs[i];
    long grain = Math.max(1, Math.round(scenario.billing().granularitySeconds() * 1000));
    long paid = Math.max((life + grain - 1) / grain * grain, msMinimum());
    if (paid > life) {
      boolean onDemand = nodes.onDemand[i];
      ledger.nodes(
          onDemand ? Charge.ON_DEMAND : Charge.SPOT,
          Activity.UNUSED,
          1,
          onDemand ? onDemandMicros[nodes.pool[i]] : spotMicros[nodes.pool[i]],
          paid - life);
    }
  }

  private long msMinimum() {
    return Math.round(scenario.billing().minimumSeconds() * 1000);
  }

  // --- Generations ---

  /** Brings everything that follows from this moment's changes in order. */
  private void settle() {
    regroup();
    if (phase == Phase.TRAINING && msUntilCheckpoint() == 0) {
      startCheckpoint();
    }
  }

  /** Forms a new generation when members came or went. */
  private void regroup() {
    if (!membershipChanged) {
      return;
    }
    membershipChanged = false;
    if (memberLost) {
      shipEndMs = NEVER;
    }
    boolean restart = memberLost && scenario.recovery() == Recovery.RESTART;
    if (stateHeld && (restart || !stateInMemory())) {
      fallBack();
    }
    leavingSpotMicros = 0;
    leavingOnDemandMicros = 0;
    memberLost = false;
    payMoves();
    int size = 0;
    for (int p = 0; p < pools; p++) {
      members[p] = spotMembers[p] + onDemandMembers[p];
      size += members[p];
    }
    speed = size == 0 ? 0 : scenario.throughput().unitsPerSecond(members);
    trafficMicros =
        size == 0 ? 0 : Math.round(scenario.throughput().trafficUsdPerHour(members) * 1e6);
    if (speed <= 0) {
      freshEndMs = NEVER;
      turn(Phase.DOWN, NEVER);
      return;
    }
    boolean cold = !stateInMemory();
    double seconds =
        scenario.startup().reformSeconds()
            + (cold && safe > 0 ? checkpointing.restoreSeconds() : 0);
    long endMs = nowMs + Math.round(1000 * seconds);
    if (!cold) {
      freshEndMs = NEVER;
    } else if (freshEndMs == NEVER) {
      freshEndMs = endMs + Math.round(1000 * scenario.startup().freshSeconds());
    }
    turn(Phase.FORMING, cold ? Math.max(endMs, freshEndMs) : endMs);
  }

  /** Whether somebody has the state in memory. */
  private boolean stateInMemory() {
    for (int i = 0; i < nodes.size; i++) {
      if (nodes.holds[i]) {
        return true;
      }
    }
    return false;
  }

  /** Goes back to the state that is safe; what was done since is lost. */
  private void fallBack() {
    if (keepsEveryStep()) {
      safe = done;
      ledger.keep(ledger.useful());
    } else if (!memberLost && checkpointing.kept()) {
      saveOnLeaving();
    }
    if (done > safe) {
      setbacks++;
    }
    stateHeld = false;
    done = safe;
    ledger.lose();
    shipEndMs = NEVER;
    trainedAtCheckpointMs = trainedMs;
    Arrays.fill(nodes.holds, 0, nodes.size, false);
  }

  /** Pays for the state's way to members in other places, once a pool. */
  private void payMoves() {
    boolean held = stateInMemory();
    int from = home;
    int first = -1;
    for (int p = 0; p < pools; p++) {
      int size = spotMembers[p] + onDemandMembers[p];
      if (size > 0) {
        first = first < 0 ? p : first;
        if (from >= 0 && (members[p] == 0 || !held) && p != from && done > 0) {
          ledger.lump(Charge.TRAFFIC, moveUsd(from, p));
        }
      }
    }
    if (first >= 0) {
      home = first;
    }
  }

  private void turn(Phase next, long endMs) {
    phase = next;
    phaseEndMs = endMs;
    if (recorder != null) {
      Activity doing =
          switch (next) {
            case TRAINING -> Activity.USEFUL;
            case STALLED -> Activity.STALLED;
            case FORMING, DOWN -> Activity.WAITING;
          };
      for (int i = 0; i < nodes.size; i++) {
        if (nodes.member[i]) {
          recorder.turned(nodes.id[i], doing, now());
        }
      }
      recorder.progressed(done, safe(), now());
    }
  }

  /** Ends what ends at this moment; returns whether a new generation began to train. */
  private boolean endPhase() {
    if (phaseEndMs != nowMs) {
      return false;
    }
    if (phase == Phase.FORMING) {
      generations++;
      stateHeld = true;
      freshEndMs = NEVER;
      for (int i = 0; i < nodes.size; i++) {
        nodes.holds[i] = nodes.member[i];
      }
      turn(Phase.TRAINING, NEVER);
      return true;
    }
    if (phase == Phase.STALLED) {
      trainedAtCheckpointMs = trainedMs;
      shipEndMs = nowMs + Math.round(checkpointing.shipSeconds() * 1000);
      turn(Phase.TRAINING, NEVER);
      endShipping();
    }
    return false;
  }

  // --- Checkpoints ---

  private boolean keepsEveryStep() {
    return checkpointing.keepsEveryStep();
  }

  private long msUntilCheckpoint() {
    if (shipEndMs != NEVER) {
      return NEVER / 4;
    }
    double seconds = checkpointing.intervalSeconds(setbacks, trainedMs / 1000.0);
    if (seconds == Double.POSITIVE_INFINITY) {
      return NEVER / 4;
    }
    long interval = Math.max(1, Math.round(seconds * 1000));
    return Math.max(0, interval - (trainedMs - trainedAtCheckpointMs));
  }

  private void startCheckpoint() {
    shipping = done;
    shippingUseful = ledger.useful();
    turn(Phase.STALLED, nowMs + Math.round(checkpointing.stallSeconds() * 1000));
    endPhase();
  }

  private void endShipping() {
    if (shipEndMs != nowMs) {
      return;
    }
    shipEndMs = NEVER;
    safe = shipping;
    ledger.keep(shippingUseful);
    checkpoints++;
    if (recorder != null) {
      recorder.checkpointed(now());
      recorder.progressed(done, safe(), now());
    }
  }

  /**
   * Begins a checkpoint inside the notice when at least half of the members have notice. The others
   * would hold the state, but notices can fail, so they may be taken, too.
   */
  private void saveJustInTime() {
    if (!checkpointing.justInTime()
        || !checkpointing.kept()
        || phase != Phase.TRAINING
        || keepsEveryStep()) {
      return;
    }
    int size = 0;
    int told = 0;
    for (int i = 0; i < nodes.size; i++) {
      size += nodes.member[i] ? 1 : 0;
      told += nodes.member[i] && nodes.noticed[i] ? 1 : 0;
    }
    if (2 * told < size && scenario.recovery() == Recovery.SURVIVORS) {
      return;
    }
    long needs = Math.round(1000 * (checkpointing.stallSeconds() + checkpointing.shipSeconds()));
    if (nowMs + needs < (tick + 1) * tickMs) {
      // The newest state is worth more than one that is still on its way.
      shipEndMs = NEVER;
      startCheckpoint();
    }
  }

  /** Saves the state before the last members are given back; they are paid until it is out. */
  private void saveOnLeaving() {
    safe = done;
    ledger.keep(ledger.useful());
    checkpoints++;
    long ms = Math.round(1000 * (checkpointing.stallSeconds() + checkpointing.shipSeconds()));
    ledger.nodes(Charge.SPOT, Activity.STALLED, 1, leavingSpotMicros, ms);
    ledger.nodes(Charge.ON_DEMAND, Activity.STALLED, 1, leavingOnDemandMicros, ms);
  }

  // --- The end ---

  private double left() {
    return scenario.work() - done;
  }

  private boolean isDone() {
    return left() <= scenario.work() * 1e-12;
  }

  private Outcome outcome(boolean finished) {
    for (int i = nodes.size - 1; i >= 0; i--) {
      end(i, false);
    }
    if (checkpointing.storage() && checkpoints > 0) {
      double gbMonths = checkpointing.size().bytes() / 1e9 * nowMs / (30 * 24 * 3.6e6);
      ledger.lump(Charge.STORAGE, gbMonths * scenario.billing().storageUsdPerGbMonth());
    }
    if (recorder != null) {
      recorder.progressed(done, safe(), now());
      recorder.spent(ledger.total().dollars(), now());
    }
    return new Outcome(
        finished,
        now(),
        finished && now() <= scenario.deadlineSeconds(),
        ledger.total(),
        ledger.bill(),
        ledger.use(),
        ledger.nodeSeconds(),
        revocations,
        generations,
        checkpoints);
  }

  // --- What a policy sees and does ---

  @Override
  public double now() {
    return nowMs / 1000.0;
  }

  @Override
  public double deadline() {
    return scenario.deadlineSeconds();
  }

  @Override
  public double tickSeconds() {
    return tickMs / 1000.0;
  }

  @Override
  public double work() {
    return scenario.work();
  }

  @Override
  public double done() {
    return done;
  }

  @Override
  public double safe() {
    return keepsEveryStep() ? done : safe;
  }

  @Override
  public int workers() {
    return scenario.workers();
  }

  @Override
  public int pools() {
    return pools;
  }

  @Override
  public int spot(int pool) {
    return spotHeld[pool];
  }

  @Override
  public int onDemand(int pool) {
    return onDemandHeld[pool];
  }

  @Override
  public int booting(int pool, Market kind) {
    return kind == Market.SPOT ? spotBooting[pool] : onDemandBooting[pool];
  }

  @Override
  public int noticed(int pool) {
    int count = 0;
    for (int i = 0; i < nodes.size; i++) {
      count += nodes.pool[i] == pool && nodes.noticed[i] ? 1 : 0;
    }
    return count;
  }

  @Override
  public boolean training() {
    return phase == Phase.TRAINING || phase == Phase.STALLED;
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return spotMicros[pool] / 1e6;
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return onDemandMicros[pool] / 1e6;
  }

  @Override
  public double unitsPerSecond(int[] counts) {
    return scenario.throughput().unitsPerSecond(counts);
  }

  @Override
  public double moveUsd(int from, int to) {
    return scenario.egressUsdPerGb()[from][to] * checkpointing.size().bytes() / 1e9;
  }

  @Override
  public int home() {
    return home;
  }

  @Override
  public Scenario scenario() {
    return scenario;
  }

  @Override
  public int rent(int pool, Market kind, int count) {
    int granted = kind == Market.ON_DEMAND ? count : Math.min(count, free(pool));
    for (int i = 0; i < granted; i++) {
      add(pool, kind == Market.ON_DEMAND, false);
    }
    return Math.max(0, granted);
  }

  @Override
  public boolean rentAll(int pool, Market kind, int count) {
    if (kind == Market.SPOT && free(pool) < count) {
      return false;
    }
    rent(pool, kind, count);
    return true;
  }

  @Override
  public void release(int pool, Market kind, int count) {
    boolean onDemand = kind == Market.ON_DEMAND;
    for (int i = nodes.size - 1; i >= 0 && count > 0; i--) {
      if (nodes.pool[i] == pool && nodes.onDemand[i] == onDemand && !nodes.anchor[i]) {
        end(i, false);
        count--;
      }
    }
  }

  @Override
  public boolean probe(int pool, int count) {
    boolean up = free(pool) >= count;
    if (up) {
      ledger.nodes(Charge.SPOT, Activity.UNUSED, count, spotMicros[pool], msMinimum());
    }
    return up;
  }

  private int free(int pool) {
    return market.available(pool, firstTick + tick) - spotHeld[pool];
  }

  @Override
  public String toString() {
    return "%s at %s s, spot %s, on demand %s"
        .formatted(phase, now(), Arrays.toString(spotHeld), Arrays.toString(onDemandHeld));
  }
}
