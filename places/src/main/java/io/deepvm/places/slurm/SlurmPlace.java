package io.deepvm.places.slurm;

import io.deepvm.market.Pool;
import io.deepvm.places.PlaceOfRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A cluster of Slurm. */
public final class SlurmPlace implements PlaceOfRun {

  @Override
  public String name() {
    return "slurm";
  }

  @Override
  public boolean has(Path folder) {
    return SlurmSettings.exist(folder);
  }

  @Override
  public Making cloud(Path folder, List<Pool> pools) throws IOException {
    SlurmSettings settings = SlurmSettings.read(folder);
    return (timers, clock) -> new SlurmCloud(settings, pools, new Slurm(), timers, clock);
  }
}
