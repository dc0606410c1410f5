package io.deepvm.cluster.log;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Where a node is in its life. */
public enum NodeState {
  /** Asked for, and paid from now on. */
  REQUESTED,
  /** The cloud has it; its training process is not ready yet. */
  BOOTING,
  /** Its training process can join a generation. */
  READY,
  /** Its training process works in the generation. */
  TRAINING,
  /** The cloud has announced that it will take the node. */
  NOTICED,
  /** Taken, crashed or out of reach: it never comes back under this name. */
  LOST,
  /** Given back. */
  RELEASED,
  /** It never trained, or could not go on. */
  FAILED,
  /** The cloud refused the order, so there is no machine and no bill. */
  REFUSED;

  private static final Map<NodeState, Set<NodeState>> NEXT = new EnumMap<>(NodeState.class);

  static {
    Set<NodeState> ends = EnumSet.of(LOST, RELEASED, FAILED);
    NEXT.put(REQUESTED, with(ends, BOOTING, REFUSED));
    NEXT.put(BOOTING, with(ends, READY, NOTICED));
    // A process that crashed is started again on its node.
    NEXT.put(READY, with(ends, TRAINING, BOOTING, NOTICED));
    NEXT.put(TRAINING, with(ends, READY, BOOTING, NOTICED));
    // A notice may be taken back.
    NEXT.put(NOTICED, with(ends, BOOTING, READY, TRAINING));
    for (NodeState end : EnumSet.of(LOST, RELEASED, FAILED, REFUSED)) {
      NEXT.put(end, Set.of());
    }
  }

  private static Set<NodeState> with(Set<NodeState> ends, NodeState first, NodeState... more) {
    Set<NodeState> all = EnumSet.copyOf(ends);
    all.addAll(EnumSet.of(first, more));
    return all;
  }

  /** Whether a node may go from here to there. */
  public boolean mayTurn(NodeState next) {
    return NEXT.getOrDefault(this, Set.of()).contains(next);
  }

  /** Whether nothing comes after it. */
  public boolean isEnd() {
    return NEXT.getOrDefault(this, Set.of()).isEmpty();
  }
}
