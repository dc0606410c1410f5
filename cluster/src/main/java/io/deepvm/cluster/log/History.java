package io.deepvm.cluster.log;

import io.deepvm.catalog.Market;
import io.deepvm.units.Money;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What follows from a run's events, event by event; an event that cannot be is refused. */
public final class History {

  private static final long MS_PER_HOUR = 3_600_000;

  private final Map<String, Life> lives = new LinkedHashMap<>();
  private final Map<Integer, Long> spotPrices = new LinkedHashMap<>();
  private final TreeMap<Long, Long> samplesByStep = new TreeMap<>();
  private final List<Loss> losses = new ArrayList<>();

  private String run = "";
  private RunState state = RunState.WAITING;
  private String reason = "";
  private RunState outcome = RunState.STOPPED;
  private long generation;
  private List<String> members = List.of();
  private long trainedGeneration;
  private long step;
  private long samples;
  private double loss = Double.NaN;
  private long safeStep;
  private long lostSteps;
  private int restarts;
  private long grainMs = 1;
  private long leastMs;
  private long anchorRate;
  private long anchorlessMs;
  private long startedMs;
  private double speed = 1;
  private double share = 1;
  private double emulatedMs;
  private double emulatedMicros;
  private long marketMs;
  private long atMs;

  /** One node's life and bill so far. */
  private static final class Life {
    final Event.Rented rented;
    final long rentedMs;
    NodeState state = NodeState.REQUESTED;
    String handle = "";
    String reason = "";
    boolean noticed;
    long takenMs = -1;
    long endedMs = -1;
    long rate;
    long paidUntilMs;
    long micros;
    long rest;

    Life(Event.Rented rented, long nowMs) {
      this.rented = rented;
      this.rentedMs = nowMs;
      this.paidUntilMs = nowMs;
      this.rate = rented.microsPerHour();
    }

    /** Pays until a moment; whole micro-dollars are carried over so that nothing overflows. */
    void pay(long untilMs) {
      rest += rate * (untilMs - paidUntilMs);
      micros += rest / MS_PER_HOUR;
      rest %= MS_PER_HOUR;
      paidUntilMs = untilMs;
    }
  }

  /** A lost member, and when training went on. */
  private static final class Loss {
    final String node;
    final String reason;
    final boolean noticed;
    final long marketMs;
    final long atMs;
    long recoveredMs = -1;

    Loss(String node, String reason, boolean noticed, long marketMs, long atMs) {
      this.node = node;
      this.reason = reason;
      this.noticed = noticed;
      this.marketMs = marketMs;
      this.atMs = atMs;
    }
  }

  /** Takes the next event in. */
  public synchronized void add(Logged logged) {
    if (logged.event() instanceof Event.Resumed) {
      // Anchors live and die with the coordinator.
      anchorlessMs += Math.max(0, logged.marketMs() - marketMs);
    } else {
      emulate(logged.atMs());
    }
    atMs = Math.max(atMs, logged.atMs());
    marketMs = Math.max(marketMs, logged.marketMs());
    Event event = logged.event();
    if (event instanceof Event.Started e) {
      run = e.run();
      grainMs = Math.max(1, e.billingGrainMs());
      leastMs = e.billingLeastMs();
      anchorRate = e.anchorMicrosPerHour();
      startedMs = logged.atMs();
      speed = e.speed();
    } else if (event instanceof Event.RunTurned e) {
      turn(e);
    } else if (event instanceof Event.Paced e) {
      share = e.share();
    } else if (event instanceof Event.Priced e) {
      price(e);
    } else if (event instanceof Event.Rented e) {
      if (lives.putIfAbsent(e.node(), new Life(e, marketMs)) != null) {
        throw new IllegalStateException("The node %s was rented before.".formatted(e.node()));
      }
    } else if (event instanceof Event.Granted e) {
      life(e.node()).handle = e.handle();
    } else if (event instanceof Event.Taken e) {
      life(e.node()).takenMs = logged.atMs();
    } else if (event instanceof Event.NodeTurned e) {
      turn(e);
    } else if (event instanceof Event.Generation e) {
      if (e.number() <= generation) {
        throw new IllegalStateException(
            "Generation %d cannot follow %d.".formatted(e.number(), generation));
      }
      generation = e.number();
      members = e.members();
      restarts = e.restarts();
    } else if (event instanceof Event.Joined e) {
      join(e);
    } else if (event instanceof Event.Progress e) {
      progress(e);
    } else if (event instanceof Event.Saved e) {
      if (e.state().equals("DURABLE")) {
        safeStep = Math.max(safeStep, e.step());
      }
    }
  }

  /** Counts the time that is taken out of the market's until a moment. */
  private void emulate(long untilMs) {
    double ms = Math.max(0, untilMs - atMs) * speed * (1 - share);
    if (ms > 0 && startedMs > 0) {
      long rates =
          anchorRate
              + lives.values().stream()
                  .filter(life -> !life.state.isEnd())
                  .mapToLong(life -> life.rate)
                  .sum();
      emulatedMs += ms;
      emulatedMicros += ms * rates / MS_PER_HOUR;
    }
  }

  private void turn(Event.RunTurned e) {
    if (!state.mayTurn(e.to())) {
      throw new IllegalStateException("A run cannot go from %s to %s.".formatted(state, e.to()));
    }
    state = e.to();
    reason = e.reason();
    if (e.outcome() != null) {
      outcome = e.outcome();
    }
    if (state == RunState.TRAINING) {
      for (Loss lost : losses) {
        if (lost.recoveredMs < 0) {
          lost.recoveredMs = atMs - lost.atMs;
        }
      }
    }
  }

  private void turn(Event.NodeTurned e) {
    Life life = life(e.node());
    if (!life.state.mayTurn(e.to())) {
      throw new IllegalStateException(
          "The node %s cannot go from %s to %s.".formatted(e.node(), life.state, e.to()));
    }
    life.state = e.to();
    life.reason = e.reason();
    life.noticed |= e.to() == NodeState.NOTICED;
    if (!e.to().isEnd()) {
      return;
    }
    life.endedMs = marketMs;
    long lived = marketMs - life.rentedMs;
    long paid = Math.max((lived + grainMs - 1) / grainMs * grainMs, leastMs);
    life.pay(life.rentedMs + paid);
    if (e.to() == NodeState.LOST && members.contains(e.node())) {
      long at = life.takenMs < 0 ? atMs : life.takenMs;
      losses.add(new Loss(e.node(), e.reason(), life.noticed, marketMs, at));
    }
  }

  private void price(Event.Priced e) {
    spotPrices.put(e.pool(), e.microsPerHour());
    for (Life life : lives.values()) {
      if (life.rented.pool() == e.pool()
          && life.rented.market() == Market.SPOT
          && !life.state.isEnd()) {
        life.pay(marketMs);
        life.rate = e.microsPerHour();
      }
    }
  }

  private void join(Event.Joined e) {
    if (e.generation() != generation || trainedGeneration == generation || e.step() < 0) {
      return;
    }
    trainedGeneration = generation;
    if (e.step() < step) {
      lostSteps += step - e.step();
      step = e.step();
      samples = samplesAt(step);
      samplesByStep.tailMap(step, false).clear();
    }
  }

  private void progress(Event.Progress e) {
    if (e.generation() < generation && e.step() < step) {
      return;
    }
    step = Math.max(step, e.step());
    samples = Math.max(samples, e.samples());
    loss = e.loss();
    samplesByStep.put(e.step(), e.samples());
  }

  /** Returns how many samples had been trained on at the step, or a little before it. */
  private long samplesAt(long atStep) {
    Map.Entry<Long, Long> known = samplesByStep.floorEntry(atStep);
    return known == null ? 0 : known.getValue();
  }

  private Life life(String node) {
    Life life = lives.get(node);
    if (life == null) {
      throw new IllegalStateException("The node %s was never rented.".formatted(node));
    }
    return life;
  }

  /** The run's state. */
  public RunState state() {
    return state;
  }

  /** What a run that is STOPPING will have ended as. */
  public RunState outcome() {
    return outcome;
  }

  /** Returns the node's state; null when there never was such a node. */
  public @Nullable NodeState state(String node) {
    Life life = lives.get(node);
    return life == null ? null : life.state;
  }

  /** Why the node's state last changed. */
  public String reason(String node) {
    return life(node).reason;
  }

  /** The newest generation's number; 0 before the first. */
  public long generation() {
    return generation;
  }

  /** The newest generation's members, by rank. */
  public List<String> members() {
    return members;
  }

  /** How often members' own failures made everybody start again. */
  public int restarts() {
    return restarts;
  }

  /** The spot price of the pool as last logged, in micro-dollars per hour; -1 before. */
  public long spotPrice(int pool) {
    return spotPrices.getOrDefault(pool, -1L);
  }

  /** The share of its speed at which the market's time passes. */
  public double share() {
    return share;
  }

  /** Returns the market's time at a moment given in milliseconds since 1970. */
  public long marketMsAt(long nowMs) {
    return marketMs + Math.max(0, Math.round((nowMs - atMs) * speed * share));
  }

  /** Returns how the run stands after the last event. */
  public synchronized RunStatus status() {
    return status(marketMs, atMs);
  }

  /**
   * Returns how the run stands at a moment since the last event, in milliseconds since 1970; any
   * thread may ask.
   */
  public synchronized RunStatus status(long nowMs) {
    boolean goesOn = startedMs > 0 && !state.isEnd();
    return goesOn ? status(marketMsAt(nowMs), nowMs) : status();
  }

  private RunStatus status(long nowMarketMs, long nowMs) {
    long until = Math.max(nowMarketMs, marketMs);
    List<NodeStatus> nodes = new ArrayList<>();
    Money cost = new Money((anchorRate * (until - anchorlessMs) + MS_PER_HOUR / 2) / MS_PER_HOUR);
    for (Map.Entry<String, Life> entry : lives.entrySet()) {
      Life life = entry.getValue();
      long open = life.state.isEnd() ? 0 : life.rate * (until - life.paidUntilMs);
      Money bill = new Money(life.micros + (life.rest + open + MS_PER_HOUR / 2) / MS_PER_HOUR);
      cost = cost.plus(bill);
      Event.Rented r = life.rented;
      nodes.add(
          new NodeStatus(
              entry.getKey(),
              r.role(),
              r.pool(),
              r.poolName(),
              r.market(),
              life.state,
              life.handle,
              life.reason,
              life.rentedMs,
              life.endedMs,
              bill));
    }
    return new RunStatus(
        run,
        state,
        reason,
        generation,
        members,
        nodes,
        step,
        samples,
        loss,
        safeStep,
        samplesAt(safeStep),
        lostSteps,
        restarts,
        losses.stream()
            .map(l -> new Revoked(l.node, l.reason, l.noticed, l.marketMs, l.atMs, l.recoveredMs))
            .toList(),
        cost,
        new Emulated(Math.round(emulatedMs), new Money(Math.round(emulatedMicros))),
        startedMs,
        until,
        Math.max(nowMs, atMs));
  }
}
