package io.deepvm.places.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.Launch;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a lost connection and a lost coordinator do to nodes on ssh hosts. */
class SshLeaseIT {

  private static final List<Pool> POOLS =
      List.of(new Pool(new Place("ssh", "hosts", null), "host"));

  @TempDir private Path folder;
  private final List<News> news = new CopyOnWriteArrayList<>();
  private TestSshd sshd;

  @BeforeEach
  void start() throws Exception {
    TestSshd.require();
    sshd = TestSshd.start(folder.resolve("sshd"));
  }

  @AfterEach
  void stop() {
    if (sshd != null) {
      sshd.close();
    }
  }

  private Cloud granted(SshFixture place, String command) throws IOException {
    Cloud cloud = place.connect(OrderPoints.NONE);
    Launch launch = new Launch(List.of("sh", "-c", command), Map.of());
    place.call(
        () -> {
          try {
            cloud.open(new Tenancy("run", 0, 1, List.of()), news::add);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          cloud.order(new Order("t", "n1", 0, Market.ON_DEMAND, launch));
        });
    place.await(() -> news.stream().anyMatch(News.Granted.class::isInstance));
    return cloud;
  }

  private boolean isGone() {
    return news.stream().anyMatch(News.Gone.class::isInstance);
  }

  @Test
  void aNodeWithoutACoordinatorEndsWithItsLease() throws Exception {
    try (SshFixture place = new SshFixture(folder, sshd, POOLS, 1, 4)) {
      Cloud cloud = granted(place, "sleep 1000 & exec sleep 1000");
      place.await(() -> place.machines("n1") == 2);
      place.call(cloud::close);
      assertThat(place.machines("n1")).isEqualTo(2);
      place.await(() -> place.machines("n1") == 0);
    }
  }

  @Test
  void aNodeOutlivesALostConnectionAndIsReachableAgain() throws Exception {
    try (SshFixture place = new SshFixture(folder, sshd, POOLS, 1, 60)) {
      Cloud cloud = granted(place, "echo 4000 >port; exec sleep 1000");
      place.await(() -> reached() == 1);
      sshd.dropConnections();
      place.await(() -> reached() == 2);
      assertThat(place.machines("n1")).isEqualTo(1);
      assertThat(isGone()).isFalse();
      place.call(() -> cloud.end("n1", "test"));
      place.await(this::isGone);
      assertThat(place.machines("n1")).isZero();
    }
  }

  @Test
  void aCoordinatorWithAnOldLogFindsTheNodesItKnowsAndEndsTheOthers() throws Exception {
    try (SshFixture place = new SshFixture(folder, sshd, POOLS, 2, 60);
        SshHosts hosts = SshHosts.of(place.settings())) {
      Cloud cloud = granted(place, "exec sleep 1000");
      Launch launch = new Launch(List.of("sleep", "1000"), Map.of());
      place.call(() -> cloud.order(new Order("u", "n2", 0, Market.ON_DEMAND, launch)));
      place.await(() -> place.machines("n2") == 1);
      place.call(cloud::close);
      Path elsewhere = folder.resolve("elsewhere");
      List<List<String>> ended =
          hosts.find(Set.of("n1"), elsewhere).stream().map(SshHosts.Answer::value).toList();
      assertThat(ended).containsExactlyInAnyOrder(List.of(), List.of("n2"));
      assertThat(place.machines("n1")).isEqualTo(1);
      assertThat(place.machines("n2")).isZero();
      assertThat(elsewhere.resolve("nodes/n1/host")).hasContent("h1");
      assertThat(elsewhere.resolve("nodes/n2")).doesNotExist();
    }
  }

  private long reached() {
    return news.stream().filter(News.Reachable.class::isInstance).count();
  }

  @Test
  void leftoversAreFoundByTheirTagAndEndedAloneWithoutTheRunsFolder() throws Exception {
    SshFixture place = new SshFixture(folder, sshd, POOLS, 1, 60);
    Process stranger = new ProcessBuilder("sleep", "1000").start();
    try (place;
        SshHosts hosts = SshHosts.of(place.settings())) {
      Cloud cloud = granted(place, "setsid sleep 1000 & exec sleep 1000");
      place.await(() -> place.machines("n1") == 2);
      place.call(cloud::close);
      List<Leftover> found = hosts.list().get(0).value();
      assertThat(found)
          .singleElement()
          .satisfies(
              node -> {
                assertThat(node.run()).isEqualTo(place.settings().run());
                assertThat(node.node()).isEqualTo("n1");
                assertThat(node.processes()).isEqualTo(2);
                assertThat(node.leaseSeconds()).isBetween(1L, 60L);
              });
      assertThat(hosts.clear().get(0).value()).isTrue();
      assertThat(place.machines("n1")).isZero();
      assertThat(hosts.list().get(0).value()).isEmpty();
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }
}
