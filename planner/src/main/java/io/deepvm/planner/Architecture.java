package io.deepvm.planner;

import java.util.List;
import java.util.function.IntToLongFunction;

/** How the nodes of a cluster share the work of training and of keeping its checkpoints. */
interface Architecture {

  /** Every architecture the planner knows. */
  List<Architecture> ALL = List.of(new SingleAnchor(), new Tiering());

  /** A price that says that such a cluster cannot be built. */
  long IMPOSSIBLE = Long.MAX_VALUE;

  /** The name users choose it by. */
  String name();

  /** The smallest number of training nodes of this type that makes sense. */
  int fewestWorkers(Worker worker);

  /** Whether this listing can be the worker at all. */
  boolean accepts(Worker worker);

  /** The most nodes of this type that may train. */
  int mostWorkers(Worker worker);

  /**
   * Returns the least micro-dollars per hour by number of training nodes of one type, with all they
   * need, or {@link #IMPOSSIBLE} there.
   */
  IntToLongFunction prices(Worker worker, CheckpointNeeds needs);

  /** The nodes of the cluster that {@link #prices} priced. */
  List<NodeGroup> nodes(Worker worker, int workers, CheckpointNeeds needs);

  /**
   * The ways to frame a cluster of n training nodes of several types at a site: what is fixed, and
   * how many workers are then free to choose.
   */
  List<MixFrame> frames(Site site, int workers, CheckpointNeeds needs);

  /** Says in one sentence what the architecture adds to the workers, and why that many. */
  String describe(Worker worker, int workers, CheckpointNeeds needs);
}
