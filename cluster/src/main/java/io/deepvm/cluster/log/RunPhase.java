package io.deepvm.cluster.log;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Where a run is in its life. */
public enum RunPhase {
  /** Too few nodes are ready to form a generation. */
  WAITING,
  /** The members of a generation get ready to train. */
  FORMING,
  /** All members of the generation train. */
  TRAINING,
  /** Everything is being ended. */
  STOPPING,
  /** The work is done. */
  FINISHED,
  /** It could not go on. */
  FAILED,
  /** Somebody ended it. */
  STOPPED,
  /** Its coordinator was ended in order; another may go on. */
  INTERRUPTED,
  /** The market did not have the nodes that it needs. */
  INFEASIBLE;

  private static final Map<RunPhase, Set<RunPhase>> NEXT = new EnumMap<>(RunPhase.class);

  static {
    NEXT.put(WAITING, EnumSet.of(FORMING, STOPPING));
    NEXT.put(FORMING, EnumSet.of(FORMING, TRAINING, WAITING, STOPPING));
    NEXT.put(TRAINING, EnumSet.of(FORMING, WAITING, STOPPING));
    NEXT.put(STOPPING, EnumSet.of(FINISHED, FAILED, STOPPED, INTERRUPTED, INFEASIBLE));
    NEXT.put(FINISHED, Set.of());
    NEXT.put(FAILED, Set.of());
    NEXT.put(STOPPED, Set.of());
    NEXT.put(INTERRUPTED, EnumSet.of(WAITING, STOPPING));
    NEXT.put(INFEASIBLE, Set.of());
  }

  /** Whether a run may go from here to there. */
  public boolean mayTurn(RunPhase next) {
    return NEXT.getOrDefault(this, Set.of()).contains(next);
  }

  /** Whether nothing comes after it. */
  public boolean isEnd() {
    return NEXT.getOrDefault(this, Set.of()).isEmpty();
  }
}
