package io.deepvm.cluster.log;

import io.deepvm.base.Money;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What follows from a run's events, event by event; an event that cannot be is refused. */
public final class History {

  private static final long MS_PER_HOUR = NodeBill.MS_PER_HOUR;

  /** Events that matter to the coordinator alone. */
  private static final Set<Class<? extends Event>> UNSEEN =
      Set.of(
          Event.Resumed.class,
          Event.Alive.class,
          Event.Waits.class,
          Event.Broken.class,
          Event.Refused.class,
          Event.Suspected.class,
          Event.Exited.class,
          Event.Registered.class,
          Event.Cleared.class,
          Event.Forming.class,
          Event.Silenced.class,
          Event.Printed.class,
          Event.Completed.class,
          Event.Killed.class,
          Event.Restarted.class,
          Event.Departed.class,
          Event.Reforming.class,
          Event.Parting.class,
          Event.Warned.class,
          Event.Withheld.class,
          Event.Gone.class);

  private final Map<String, NodeBill> lives = new LinkedHashMap<>();
  private final Map<Integer, Long> spotPrices = new LinkedHashMap<>();
  private final WorkDone work = new WorkDone();
  private final List<Loss> losses = new ArrayList<>();

  private String run = "";
  private RunPhase state = RunPhase.WAITING;
  private String reason = "";
  private RunPhase outcome = RunPhase.STOPPED;
  private long generation;
  private List<String> members = List.of();
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
      if (lives.putIfAbsent(e.node(), new NodeBill(e, marketMs)) != null) {
        throw new IllegalStateException("The node %s was rented before.".formatted(e.node()));
      }
    } else if (event instanceof Event.Granted e) {
      life(e.node()).granted(e.handle());
    } else if (event instanceof Event.Taken e) {
      life(e.node()).taken(logged.atMs());
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
      work.join(e, generation);
    } else if (event instanceof Event.Progress e) {
      work.progress(e, generation);
    } else if (event instanceof Event.Saved e) {
      work.saved(e);
    } else if (!UNSEEN.contains(event.getClass())) {
      throw new IllegalStateException("No rule for the event " + event);
    }
  }

  /** Counts the time that is taken out of the market's until a moment. */
  private void emulate(long untilMs) {
    double ms = Math.max(0, untilMs - atMs) * speed * (1 - share);
    if (ms > 0 && startedMs > 0) {
      long rates = anchorRate + lives.values().stream().mapToLong(NodeBill::rate).sum();
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
    if (state == RunPhase.TRAINING) {
      losses.forEach(lost -> lost.recovered(atMs));
    }
  }

  private void turn(Event.NodeTurned e) {
    NodeBill life = life(e.node());
    life.turn(e);
    if (!e.to().isEnd()) {
      return;
    }
    life.end(marketMs, grainMs, leastMs);
    if (e.to() == NodeState.LOST && members.contains(e.node())) {
      losses.add(new Loss(e, life.noticed(), marketMs, life.lostMs(atMs)));
    }
  }

  private void price(Event.Priced e) {
    spotPrices.put(e.pool(), e.microsPerHour());
    lives.values().forEach(life -> life.price(e, marketMs));
  }

  private NodeBill life(String node) {
    NodeBill life = lives.get(node);
    if (life == null) {
      throw new IllegalStateException("The node %s was never rented.".formatted(node));
    }
    return life;
  }

  /** The run's state. */
  public RunPhase state() {
    return state;
  }

  /** What a run that is STOPPING will have ended as. */
  public RunPhase outcome() {
    return outcome;
  }

  /** Returns the node's state; null when there never was such a node. */
  public @Nullable NodeState state(String node) {
    NodeBill life = lives.get(node);
    return life == null ? null : life.state();
  }

  /** Why the node's state last changed. */
  public String reason(String node) {
    return life(node).reason();
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

  /** The newest step whose checkpoint survives the loss of every node. */
  long safeStep() {
    return work.safeStep();
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

  /** Returns what the run costs up to the last event. */
  public synchronized Money cost() {
    Money cost = anchorCost(marketMs);
    for (NodeBill life : lives.values()) {
      cost = cost.plus(life.cost(marketMs));
    }
    return cost;
  }

  private Money anchorCost(long untilMs) {
    return new Money((anchorRate * (untilMs - anchorlessMs) + MS_PER_HOUR / 2) / MS_PER_HOUR);
  }

  private RunStatus status(long nowMarketMs, long nowMs) {
    long until = Math.max(nowMarketMs, marketMs);
    List<NodeStatus> nodes = new ArrayList<>();
    Money cost = anchorCost(until);
    for (NodeBill life : lives.values()) {
      NodeStatus status = life.status(until);
      cost = cost.plus(status.cost());
      nodes.add(status);
    }
    return new RunStatus(
        run,
        state,
        reason,
        generation,
        members,
        nodes,
        work.step(),
        work.samples(),
        work.loss(),
        work.safeStep(),
        work.safeSamples(),
        work.lostSteps(),
        restarts,
        losses.stream().map(Loss::revoked).toList(),
        cost,
        new Emulated(Math.round(emulatedMs), new Money(Math.round(emulatedMicros))),
        startedMs,
        until,
        Math.max(nowMs, atMs));
  }
}
