package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.util.List;

/** Deletes from one tier what need not be kept. Used by the tier's own thread alone. */
final class Housekeeping {

  private static final System.Logger LOG = System.getLogger(Housekeeping.class.getName());

  private final TierLane lane;
  private final EngineOptions options;
  private final EngineFigures figures;
  private final Retainer retainer;

  /** Whether the tier is memory in front of other tiers that outlive it. */
  private final boolean isCache;

  Housekeeping(TierLane lane, List<TierLane> all, EngineOptions options, EngineFigures figures) {
    this.lane = lane;
    this.options = options;
    this.figures = figures;
    this.retainer = new Retainer(lane.tier(), options.job(), options.retention());
    this.isCache =
        lane.level() == Level.REPLICATED
            && all.stream().anyMatch(other -> other.level() != Level.REPLICATED);
  }

  /**
   * Deletes what the rule does not keep, and what this generation and older ones left unfinished. A
   * deletion that fails is tried again after the next save.
   *
   * @throws StaleGeneration when another session has taken over in the tier
   */
  void tidy() throws StaleGeneration {
    try {
      retainer.retain(options.claim(), this::mayGo);
      Checkpoints.gc(lane.tier(), options.job(), options.claim());
    } catch (StaleGeneration e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "The tier {0}: {1}", lane.name(), e.toString());
    }
  }

  /** Never delete the last durable version in favour of versions that exist only in memory. */
  private boolean mayGo(Version version) {
    if (!isCache) {
      return true;
    }
    Long durable = figures.durableStep();
    return durable != null
        && version.compareTo(new Version(options.job(), options.generation(), durable)) < 0;
  }
}
