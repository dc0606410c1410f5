package io.deepvm.cluster.simulation;

import io.deepvm.cluster.log.EventStore;
import io.deepvm.cluster.log.Logged;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** A disk that loses what was not synced when its process dies. */
final class SimDisk {

  private final List<Logged> synced = new ArrayList<>();
  private final List<Logged> unsynced = new ArrayList<>();

  /** Returns what a process that starts now reads. */
  List<Logged> read() {
    return List.copyOf(synced);
  }

  /** Returns all that was written, on disk or not. */
  List<Logged> written() {
    List<Logged> all = new ArrayList<>(synced);
    all.addAll(unsynced);
    return all;
  }

  /** Keeps a part of what was not synced, as a kernel does. */
  void crash(Chance chance) {
    int kept = unsynced.isEmpty() ? 0 : chance.below(unsynced.size() + 1);
    synced.addAll(unsynced.subList(0, kept));
    unsynced.clear();
  }

  boolean isSynced(Predicate<Logged> which) {
    return synced.stream().anyMatch(which);
  }

  /** Keeps all that was written, since its process ended and the machine did not. */
  void left() {
    synced.addAll(unsynced);
    unsynced.clear();
  }

  /**
   * Opens the disk for a process; what a dead process writes is lost.
   *
   * @param fails whether a write fails now
   */
  EventStore open(
      Scheduler.Life process, Runnable beforeSync, Runnable afterSync, BooleanSupplier fails) {
    return new EventStore() {
      @Override
      public void append(Logged logged) throws IOException {
        if (fails.getAsBoolean()) {
          throw new IOException("No space left on device");
        }
        if (!process.isDead()) {
          unsynced.add(logged);
        }
      }

      @Override
      public void sync() {
        beforeSync.run();
        if (!process.isDead()) {
          synced.addAll(unsynced);
          unsynced.clear();
        }
        afterSync.run();
      }

      @Override
      public void close() {}
    };
  }
}
