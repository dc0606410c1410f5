package io.deepvm.checkpoint;

import io.deepvm.checkpoint.Delivery.State;
import io.deepvm.checkpoint.tier.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** All saves under way: which tier has which, and how each ticket ends. */
final class Deliveries {

  private static final System.Logger LOG = System.getLogger(Deliveries.class.getName());

  private static final String CLOSED = "The engine has closed.";

  private final EngineLife life;
  private final List<TierLane> lanes;
  private final Withdrawals withdrawals;
  private final EngineFigures figures;
  private final SaveInterval interval;
  private final LongSupplier nanoTime;
  private final boolean tidies;
  private final Set<Save> open = new LinkedHashSet<>();
  private @Nullable Ticket newest;

  /**
   * Has no save yet.
   *
   * @param tidies whether this worker cleans up in the tiers
   */
  Deliveries(
      EngineLife life,
      List<TierLane> lanes,
      Withdrawals withdrawals,
      EngineFigures figures,
      SaveInterval interval,
      LongSupplier nanoTime,
      boolean tidies) {
    this.life = life;
    this.lanes = List.copyOf(lanes);
    this.withdrawals = withdrawals;
    this.figures = figures;
    this.interval = interval;
    this.nanoTime = nanoTime;
    this.tidies = tidies;
  }

  List<TierLane> lanes() {
    return lanes;
  }

  /** Returns the saves that have not ended, the oldest first; the caller holds the lock. */
  List<Save> open() {
    return List.copyOf(open);
  }

  /** Puts a staged state into the queue of each tier that is written from memory. */
  void accept(Ticket ticket, StagedShard shard, long stagedAt) {
    ticket.announce();
    Save save = new Save(ticket, shard, stagedAt, lanes);
    boolean late;
    life.lock();
    try {
      newest = ticket;
      figures.staged(save.step());
      open.add(save);
      for (TierLane lane : lanes) {
        if (lane.source() == null) {
          lane.add(save);
        }
      }
      late = life.isClosed();
      if (late) {
        leaveOut(save, CLOSED);
      }
      life.signal();
    } finally {
      life.unlock();
    }
    if (late) {
      conclude(save);
    }
  }

  /** Ends the ticket of a state that was not staged. */
  void refuse(Ticket ticket, TicketState state, String reason) {
    ticket.note(reason);
    ticket.become(state);
    ticket.settle();
    figures.countMiss(state);
    for (TierLane lane : lanes) {
      if (lane.source() == null) {
        withdrawals.add(lane.name(), ticket.version(), reason);
      }
    }
    LOG.log(System.Logger.Level.WARNING, "{0}", ticket);
  }

  /** Takes a save out of all queues of lanes that would read its image. */
  void leaveOut(Save save, String reason) {
    for (Delivery delivery : save.deliveries()) {
      TierLane lane = delivery.lane();
      if (delivery.state() == State.WAITING && lane.source() == null) {
        lane.remove(save);
        save.ticket().note("%s: %s".formatted(lane.name(), reason));
        giveUp(save, delivery, State.LEFT_OUT);
      }
    }
  }

  /** Ends a delivery, and the deliveries that would copy from its tier. */
  private void giveUp(Save save, Delivery delivery, State end) {
    if (delivery.lane().source() == null) {
      delivery.requestWithdrawal();
    }
    delivery.become(end);
    save.leaveImage(delivery);
    for (Delivery other : save.deliveries()) {
      if (other.lane().source() == delivery.lane()) {
        giveUp(save, other, State.LEFT_OUT);
      }
    }
    life.signal();
  }

  /** Notes that a tier has committed a save. */
  void committed(TierLane lane, Save save) {
    noteCommit(lane, save);
    save.ticket().committed(lane.level());
    List<Save> passedOver = new ArrayList<>();
    life.lock();
    try {
      lane.leave(save);
      for (Delivery other : save.deliveries()) {
        if (other.lane().source() == lane && other.state() == State.EXPECTED) {
          passedOver.addAll(passOn(save, other));
        }
      }
      Delivery delivery = save.into(lane);
      delivery.become(State.COMMITTED);
      save.leaveImage(delivery);
      lane.requestTidy(tidies);
      life.signal();
    } finally {
      life.unlock();
    }
    passedOver.forEach(this::conclude);
    conclude(save);
  }

  /** Hands a committed save to an archive; one that is behind gets the newest save only. */
  private List<Save> passOn(Save save, Delivery delivery) {
    TierLane archive = delivery.lane();
    List<Save> older = archive.clear();
    for (Save waiting : older) {
      waiting.ticket().note("%s: Step %d took its place.".formatted(archive.name(), save.step()));
      giveUp(waiting, waiting.into(archive), State.LEFT_OUT);
    }
    delivery.become(State.WAITING);
    archive.add(save);
    return older;
  }

  private void noteCommit(TierLane lane, Save save) {
    Duration write = Duration.ofNanos(nanoTime.getAsLong() - save.stagedAt());
    if (lane.source() == null) {
      interval.observeWrite(write);
    }
    figures.committed(write);
    if (lane.level() != Level.REPLICATED) {
      figures.durable(save.step(), save.stagedAt());
    }
  }

  /** Notes that a tier will not get a save, because something failed or by a rule. */
  void missed(TierLane lane, Save save, State end, String reason) {
    save.ticket().note("%s: %s".formatted(lane.name(), reason));
    LOG.log(System.Logger.Level.WARNING, "{0}: {1}", save.version(), reason);
    life.lock();
    try {
      lane.leave(save);
      if (end == State.FAILED) {
        figures.countTierFailure();
      }
      giveUp(save, save.into(lane), end);
      lane.requestTidy(tidies);
      life.signal();
    } finally {
      life.unlock();
    }
    conclude(save);
  }

  /**
   * Notes that a shard is written, so its lane may go on; the parts of other workers are missing.
   */
  void awaitsPeers(TierLane lane, Save save) {
    life.lock();
    try {
      Delivery delivery = save.into(lane);
      delivery.become(State.AWAITING_PEERS);
      save.leaveImage(delivery);
      lane.leave(save);
      life.signal();
    } finally {
      life.unlock();
    }
  }

  /** Withdraws what will not come, and settles the ticket when no delivery is under way. */
  void conclude(Save save) {
    boolean missed;
    life.lock();
    try {
      for (Delivery delivery : save.deliveries()) {
        if (delivery.takeWithdrawal()) {
          withdrawals.add(
              delivery.lane().name(), save.version(), String.join(" ", save.ticket().reasons()));
        }
      }
      if (!save.isSettled() || !open.contains(save)) {
        return;
      }
      open.remove(save);
      missed = save.ticket().state() == TicketState.STAGED;
      life.signal();
    } finally {
      life.unlock();
    }
    if (missed) {
      TicketState end = save.hasFailed() ? TicketState.FAILED : TicketState.SKIPPED;
      save.ticket().become(end);
      figures.countMiss(end);
    }
    save.ticket().settle();
  }

  /** Lets the newest save go first, and returns its ticket; null when nothing was saved. */
  @Nullable Ticket hurryNewest(Duration lead) {
    List<Save> left = new ArrayList<>();
    Ticket ticket;
    life.lock();
    try {
      ticket = newest;
      Save last = null;
      for (Save save : open) {
        last = save.ticket() == ticket ? save : last;
      }
      if (last != null) {
        for (Save save : open()) {
          if (save != last && save.isQueued()) {
            leaveOut(save, "A revocation is near; step %d goes first.".formatted(last.step()));
            left.add(save);
          }
        }
        for (TierLane lane : lanes) {
          lane.abandonIfLate(last, lead);
        }
      }
    } finally {
      life.unlock();
    }
    left.forEach(this::conclude);
    return ticket;
  }

  /**
   * Waits until no save is open or the time is up, ends the engine's life, and returns the rest.
   */
  List<Save> finish(Duration deadline) throws InterruptedException {
    life.lock();
    try {
      if (life.startClosing()) {
        life.awaitWhile(() -> !open.isEmpty(), deadline.toNanos());
      }
      life.end();
      List<Save> unfinished = open();
      lanes.forEach(TierLane::clear);
      for (Save save : unfinished) {
        save.shard().abandon(CLOSED);
        leaveOut(save, CLOSED);
      }
      life.signal();
      return unfinished;
    } finally {
      life.unlock();
    }
  }

  /** Ends the tickets that no thread will end any more. */
  void abort(List<Save> unfinished) {
    for (Save save : unfinished) {
      life.lock();
      try {
        for (Delivery delivery : save.deliveries()) {
          if (!delivery.state().isFinal()) {
            save.ticket().note("%s: %s".formatted(delivery.lane().name(), CLOSED));
            // the image stays: a thread that hangs may still read it
            delivery.become(State.FAILED);
            delivery.requestWithdrawal();
          }
        }
      } finally {
        life.unlock();
      }
      conclude(save);
    }
  }
}
