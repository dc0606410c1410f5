package io.deepvm.places;

import io.deepvm.market.Pool;
import io.deepvm.places.ledger.Bill;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kind of place, as it is found again from the folder of a run alone. {@link Places} lists all
 * kinds: one file a kind.
 */
public interface PlaceOfRun {

  /** Makes a cloud on the thread and clock of a coordinator. */
  @FunctionalInterface
  interface Making {
    Cloud make(Timers timers, Clock clock);
  }

  /** Returns the name of the kind, like "local" or "aws". */
  String name();

  /** Whether the nodes of the run in the folder are in a place of this kind. */
  boolean has(Path folder);

  /**
   * Returns what makes a cloud that ends the nodes of the run.
   *
   * @param pools the pools of the run, by its numbers
   */
  Making cloud(Path folder, List<Pool> pools) throws IOException;

  /** Returns the longest time in which the place confirms the end of a machine. */
  default Duration patience() {
    return Duration.ofSeconds(60);
  }

  /** Returns what the place is paid for the run; null if it is paid nothing. */
  default @Nullable Bill bill(Path folder) throws IOException {
    return null;
  }

  /**
   * Ends what is still owed by a run that nobody coordinates, and waits until the place confirms
   * it. Returns the problem of the last attempt; empty if there was none.
   */
  default String settle(Path folder, Duration patience) throws IOException, InterruptedException {
    return "";
  }
}
