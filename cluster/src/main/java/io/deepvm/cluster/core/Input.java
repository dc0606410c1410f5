package io.deepvm.cluster.core;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.News;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that the machine has to take into account. */
public sealed interface Input {

  /**
   * A coordinator opened the run, as its first or as a later one.
   *
   * @param stop the request to stop that was there already; null if there was none
   */
  record Opened(@Nullable Stop stop) implements Input {}

  /** An agent reported. */
  record Status(AgentStatus status) implements Input {}

  /** The link to an agent broke, or the agent is silent for too long. */
  record Silent(String node, String how) implements Input {}

  /** The cloud reported. */
  record Cloud(News news) implements Input {}

  /** The policy wants other nodes. */
  record Wishes(List<Wish> wishes) implements Input {
    public Wishes {
      wishes = List.copyOf(wishes);
    }
  }

  /** Someone asked the run to end, as STOPPED or INTERRUPTED. */
  record Stop(RunPhase outcome, String reason) implements Input {}

  /** The market's time passes at another share of its speed. */
  record Paced(double share) implements Input {}

  /** Output of a command arrived. */
  record Printing() implements Input {}

  /** Time has passed. */
  record Tick() implements Input {}

  /** One wish of the policy. */
  sealed interface Wish {

    /** Rent one worker. */
    record Rent(int pool, Market market, long microsPerHour) implements Wish {}

    /** Give back the youngest worker of the pool. */
    record Release(int pool, Market market) implements Wish {}
  }
}
