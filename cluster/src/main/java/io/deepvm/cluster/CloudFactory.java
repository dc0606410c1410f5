package io.deepvm.cluster;

import io.deepvm.places.Cloud;
import io.deepvm.places.Timers;
import java.time.Clock;

/** Makes the cloud of a run on the thread and clock of its coordinator. */
@FunctionalInterface
public interface CloudFactory {

  /** Returns a cloud that was not opened yet. */
  Cloud make(Timers timers, Clock clock);
}
