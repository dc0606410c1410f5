package io.deepvm.places.aws;

import io.deepvm.base.PrivateFiles;
import io.deepvm.catalog.Market;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.Timers;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeMarket;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ssh.SshSettings;
import io.deepvm.places.testing.TestTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fake EC2 on simulated time, and the settings of a run on it. */
final class AwsScene {

  static final String NET = "10.9.0.";
  static final String TYPE = "g4dn.xlarge";
  static final String SMALL = "c5.large";
  static final long SPOT = 157_800;
  static final long ON_DEMAND = 526_000;
  static final long SMALL_ON_DEMAND = 85_000;

  private static @Nullable Path sharedKeys;

  final TestTime time = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  final FakeMarket market = new FakeMarket();
  final SimGuests guests = new SimGuests(time);
  final FakeEc2 ec2;
  final AwsSettings settings;

  AwsScene(int most, long ceilingMicros, long listLagMs) {
    this(most, ceilingMicros, 24 * 3_600_000L, new FakeEc2.Pace(20_000, 15_000, listLagMs, NET));
  }

  /**
   * Makes one.
   *
   * @param lastsMs how long the run may last
   */
  AwsScene(int most, long ceilingMicros, long lastsMs, FakeEc2.Pace pace) {
    long before = time.millis() - 3_600_000;
    market.type(TYPE, 4, ON_DEMAND).type(SMALL, 2, SMALL_ON_DEMAND);
    market.price("use1-az1", TYPE, before, SPOT).price("use1-az2", TYPE, before, SPOT + 7_000);
    market.price("use1-az1", SMALL, before, 30_000);
    ec2 = new FakeEc2(time, market, guests, pace);
    settings = settings(most, ceilingMicros, time.millis() + lastsMs);
    lookAtLeases();
  }

  private void lookAtLeases() {
    // Machines go on whether anybody asks for them or not.
    var unused = ec2.instances();
    guests.look(ec2);
    time.after(5_000_000, this::lookAtLeases);
  }

  private static AwsSettings settings(int most, long ceilingMicros, long untilMs) {
    return new AwsSettings(
        "scene-0badcafe",
        "test@here",
        new AwsAccess("us-east-1", Map.of(), null, FakeEc2.ACCOUNT),
        List.of(
            new AwsSettings.Offered("use1-az1", TYPE, SPOT, 2 * SPOT, ON_DEMAND),
            new AwsSettings.Offered("use1-az2", TYPE, SPOT + 7_000, 2 * SPOT, ON_DEMAND),
            new AwsSettings.Offered("use1-az1", SMALL, 30_000, 60_000, SMALL_ON_DEMAND)),
        new AwsSettings.Login("ami-0fake", "ubuntu", "203.0.113.7/32"),
        new Ceiling(ceilingMicros, untilMs, Ceiling.Terms.USUAL),
        most,
        SshSettings.Shipment.NONE);
  }

  /** Returns a coordinator's cloud, prepared and not open. */
  AwsCloud cloud(Path folder, Timers timers, RentalSteps steps) throws IOException {
    shareKeys(folder);
    AwsCloud cloud =
        new AwsCloud(
            settings,
            new AwsParts(ec2, (run, key, hosts) -> guests.hosts(timers), timers, time, steps));
    cloud.prepare(folder);
    return cloud;
  }

  /** Puts keys there that all tests share: making them takes longer than a test. */
  private static synchronized void shareKeys(Path folder) throws IOException {
    if (sharedKeys == null) {
      sharedKeys = Files.createTempDirectory("keys");
      var unused = Keys.of(sharedKeys);
    }
    Path keys = PrivateFiles.folder(folder.resolve("keys"));
    for (String name : List.of("login", "login.pub", "host", "host.pub")) {
      if (!Files.exists(keys.resolve(name))) {
        Files.copy(sharedKeys.resolve("keys").resolve(name), keys.resolve(name));
      }
    }
  }

  static Order order(String node, int pool, Market market) {
    return new Order("token-" + node, node, pool, market, new Launch(List.of("true"), Map.of()));
  }

  void pass(Duration duration) {
    time.pass(duration);
  }
}
