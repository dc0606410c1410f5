package io.deepvm.places.local;

import io.deepvm.market.Pool;
import io.deepvm.places.PlaceOfRun;
import java.nio.file.Path;
import java.util.List;

/** This machine: the place of runs that name no other. */
public final class LocalPlace implements PlaceOfRun {

  @Override
  public String name() {
    return "local";
  }

  @Override
  public boolean has(Path folder) {
    return true;
  }

  @Override
  public Making cloud(Path folder, List<Pool> pools) {
    LocalOptions options = LocalOptions.atOnce(Integer.MAX_VALUE);
    return (timers, clock) -> new LocalCloud(options, pools, timers, clock);
  }
}
