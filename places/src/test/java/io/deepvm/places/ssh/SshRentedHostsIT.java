package io.deepvm.places.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.testing.TestTime;
import io.deepvm.places.testing.ThreadTimers;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rented machines that can never be used: each problem is reported, and retried no more. */
class SshRentedHostsIT {

  private static final Order ORDER =
      new Order("t", "n1", 0, Market.SPOT, new Launch(List.of("sleep", "1000"), Map.of()));

  @TempDir private Path folder;
  private final ThreadTimers timers = new ThreadTimers();
  private final TestTime clock = new TestTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();
  private TestSshd sshd;
  private @Nullable SshRentedHosts opened;

  @BeforeEach
  void start() throws Exception {
    TestSshd.require();
    sshd = TestSshd.start(folder.resolve("sshd"));
  }

  @AfterEach
  void stop() {
    if (opened != null) {
      opened.close();
    }
    timers.close();
    if (sshd != null) {
      sshd.close();
    }
  }

  private void bring(String setup, SshHost.Login login, String there) throws Exception {
    SshSettings settings =
        new SshSettings(
            "run-1",
            "me",
            List.of(),
            60,
            new SshSettings.Shipment(SshSettings.Classes.NONE, null, setup, null));
    SshRentedHosts hosts =
        SshRentedHosts.of(
            folder.resolve("run"),
            settings,
            new SshRentedHosts.Parts(
                timers,
                clock,
                (order, at) -> new SshHost(order.node(), login, at.nodes(), there, "type", 0)));
    opened = hosts;
    hosts.renew(Map.of("n1", Long.MAX_VALUE));
    hosts.bring(
        ORDER,
        new RentedHosts.At("127.0.0.1", "127.0.0.1"),
        new RentedHosts.Listener() {
          @Override
          public void reachable(String node, InetSocketAddress address, InetSocketAddress proxy) {}

          @Override
          public void ended(String node, String why) {
            ended.add(why);
          }
        });
  }

  private String there() {
    return folder.resolve("there").toString();
  }

  private @Nullable String why() throws InterruptedException {
    return ended.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void aFailedSetupEndsTheMachineWithItsReason() throws Exception {
    bring("echo no such module >&2; exit 3", sshd.login(), there());
    assertThat(why()).contains("the setup failed").contains("no such module");
  }

  @Test
  void aFullDiskEndsTheMachineWithItsReason() throws Exception {
    clock.pass(Duration.ofSeconds(1));
    bring("", sshd.login(), "/dev/full/deepvm");
    assertThat(ended.poll(3, TimeUnit.SECONDS)).as("it may still boot").isNull();
    clock.pass(Duration.ofMinutes(3));
    assertThat(why()).contains("cannot write");
  }

  @Test
  void aWrongHostKeyEndsTheMachineWithItsReason() throws Exception {
    SshHost.Login login = sshd.login();
    Path known = folder.resolve("other-hosts");
    String port = "[127.0.0.1]:%d ".formatted(login.port());
    Files.writeString(known, port + Files.readString(folder.resolve("sshd/id.pub")));
    SshHost.Login wrong =
        new SshHost.Login(
            login.host(), login.user(), login.port(), login.identity(), known.toString(), null);
    bring("", wrong, there());
    assertThat(ended.poll(3, TimeUnit.SECONDS)).as("it may still boot").isNull();
    clock.pass(Duration.ofMinutes(3));
    assertThat(why()).contains("its key is not the one that was known");
  }
}
