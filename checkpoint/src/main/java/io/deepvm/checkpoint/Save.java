package io.deepvm.checkpoint;

import io.deepvm.checkpoint.Delivery.State;
import io.deepvm.checkpoint.format.Version;
import java.util.List;

/** One staged state and its deliveries, one a tier. The engine's lock guards the deliveries. */
final class Save {

  private final Ticket ticket;
  private final StagedShard shard;
  private final long stagedAt;
  private final List<Delivery> deliveries;

  Save(Ticket ticket, StagedShard shard, long stagedAt, List<TierLane> lanes) {
    this.ticket = ticket;
    this.shard = shard;
    this.stagedAt = stagedAt;
    this.deliveries = lanes.stream().map(Delivery::new).toList();
  }

  Ticket ticket() {
    return ticket;
  }

  StagedShard shard() {
    return shard;
  }

  Version version() {
    return ticket.version();
  }

  long step() {
    return version().step();
  }

  /** Returns when it was staged, in nanoseconds of the engine's clock. */
  long stagedAt() {
    return stagedAt;
  }

  List<Delivery> deliveries() {
    return deliveries;
  }

  /** Returns the delivery into the tier of a lane. */
  Delivery into(TierLane lane) {
    for (Delivery delivery : deliveries) {
      if (delivery.lane() == lane) {
        return delivery;
      }
    }
    throw new IllegalArgumentException(lane.name());
  }

  /** Returns whether no delivery is under way any more. */
  boolean isSettled() {
    return deliveries.stream().allMatch(delivery -> delivery.state().isFinal());
  }

  boolean hasFailed() {
    return has(State.FAILED);
  }

  /** Returns whether it waits in some queue. */
  boolean isQueued() {
    return has(State.WAITING);
  }

  private boolean has(State state) {
    return deliveries.stream().anyMatch(delivery -> delivery.state() == state);
  }

  /** Returns whether its image could be dropped: it is needed, but not by a write in progress. */
  boolean isDroppable() {
    List<Delivery> readers = deliveries.stream().filter(Delivery::needsImage).toList();
    return !readers.isEmpty() && readers.stream().allMatch(r -> r.state() == State.WAITING);
  }

  /** Gives up the image for a delivery, and its memory when no other delivery needs it. */
  void leaveImage(Delivery delivery) {
    if (delivery.leaveImage() && deliveries.stream().noneMatch(Delivery::needsImage)) {
      shard.release();
    }
  }
}
