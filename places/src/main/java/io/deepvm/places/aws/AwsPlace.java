package io.deepvm.places.aws;

import io.deepvm.market.Pool;
import io.deepvm.places.PlaceOfRun;
import io.deepvm.places.ledger.Bill;
import io.deepvm.places.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Machines that are rented from AWS. */
public final class AwsPlace implements PlaceOfRun {

  @Override
  public String name() {
    return "aws";
  }

  @Override
  public boolean has(Path folder) {
    return AwsSettings.exist(folder);
  }

  @Override
  public Making cloud(Path folder, List<Pool> pools) throws IOException {
    AwsSettings settings = AwsSettings.read(folder);
    return (timers, clock) -> AwsCloud.of(settings, timers, clock);
  }

  /** EC2 takes minutes to shut a machine down. */
  @Override
  public Duration patience() {
    return Duration.ofMinutes(6);
  }

  @Override
  public Bill bill(Path folder) throws IOException {
    return Bill.of(new Ledger(folder), AwsSettings.read(folder).ceiling());
  }

  @Override
  public String settle(Path folder, Duration patience) throws IOException, InterruptedException {
    AwsSettings settings = AwsSettings.read(folder);
    AwsWire wire = SignedWire.of(settings.access());
    return new Settlement(settings, wire, folder, Clock.systemUTC(), Thread::sleep)
        .settle(patience);
  }
}
