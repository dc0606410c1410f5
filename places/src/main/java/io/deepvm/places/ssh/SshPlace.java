package io.deepvm.places.ssh;

import io.deepvm.market.Pool;
import io.deepvm.places.PlaceOfRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Hosts that ssh reaches. */
public final class SshPlace implements PlaceOfRun {

  @Override
  public String name() {
    return "ssh";
  }

  @Override
  public boolean has(Path folder) {
    return SshSettings.exist(folder);
  }

  @Override
  public Making cloud(Path folder, List<Pool> pools) throws IOException {
    SshHosts hosts = SshHosts.of(SshSettings.read(folder));
    return (timers, clock) -> new SshCloud(hosts, pools, timers, clock);
  }
}
