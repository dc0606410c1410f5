package io.deepvm.places.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.places.Launch;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.testing.ThreadTimers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with links of their own, which need root. */
class NamespacesIT {

  private static final long PATIENCE_SECONDS = 30;
  private static final List<Pool> POOLS =
      List.of(new Pool(new Place("local", "here", null), "local"));

  @TempDir Path folder;

  private final ThreadTimers timers = new ThreadTimers();
  private final BlockingQueue<News> news = new LinkedBlockingQueue<>();

  @BeforeEach
  void needsRoot() throws Exception {
    assumeThat(run("id", "-u").strip()).isEqualTo("0");
    assumeThat(Files.exists(Path.of("/usr/sbin/ip")) && Files.exists(Path.of("/usr/sbin/tc")))
        .isTrue();
  }

  @AfterEach
  void stop() {
    timers.close();
  }

  private LocalCloud connect() {
    LocalOptions options = new LocalOptions(4, 0, 0, Map.of(), Bandwidth.parse("1Gbps"));
    return new LocalCloud(options, POOLS, timers, Clock.systemUTC());
  }

  private void open(LocalCloud cloud, Tenancy.Held... held) {
    timers.call(() -> cloud.open(new Tenancy("run", 0, 1, List.of(held)), news::add));
  }

  private static Order order(String node) {
    return new Order(
        node,
        node,
        0,
        Market.SPOT,
        new Launch(List.of("sh", "-c", "hostname -I >addresses; exec sleep 1000"), Map.of()));
  }

  private <T extends News> T await(Class<T> kind) throws InterruptedException {
    while (true) {
      News next = news.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(next).as("news of " + kind).isNotNull();
      if (kind.isInstance(next)) {
        return kind.cast(next);
      }
    }
  }

  private static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static boolean exists(String device) {
    return Files.exists(Path.of("/sys/class/net", device));
  }

  @Test
  void aNodeHasALinkOfItsOwnUntilItEnds() throws Exception {
    LocalCloud cloud = connect();
    String host = cloud.prepare(folder);
    assertThat(host).startsWith("10.");
    open(cloud);
    timers.call(() -> cloud.order(order("n1")));
    String handle = await(News.Granted.class).handle();
    String node = host.replaceFirst("0\\.1$", "1.2");
    assertThat(run("nsenter", "-t", pid(handle), "-n", "ip", "-o", "addr")).contains(node + "/16");
    assertThat(run("nsenter", "-t", pid(handle), "-n", "tc", "qdisc")).contains("rate 1Gbit");

    // A coordinator that comes back finds network and node, and repeats an order in them.
    timers.call(cloud::close);
    LocalCloud next = connect();
    assertThat(next.prepare(folder)).isEqualTo(host);
    open(next, new Tenancy.Held(order("n1"), null, 0, null));
    assertThat(await(News.Granted.class).handle()).isEqualTo(handle);

    timers.call(() -> next.end("n1", "enough"));
    await(News.Gone.class);
    String bridge = Namespaces.open(folder, Bandwidth.parse("1Gbps")).bridge();
    timers.call(next::close);
    assertThat(exists(bridge)).isFalse();
  }

  private static String pid(String handle) {
    return Long.toString(ProcessId.parse(handle).pid());
  }

  @Test
  void whatACoordinatorHalfConnectedTheNextOneConnects() throws Exception {
    Namespaces network = Namespaces.open(folder, Bandwidth.parse("1Gbps"));
    List<String> inside = network.add("n1");
    assertThat(network.add("n1")).isEqualTo(inside);
    network.remove("n1");
    run("ip", "netns", "add", inside.get(3));
    assertThat(network.add("n1")).isEqualTo(inside);
    assertThat(run("ip", "netns", "exec", inside.get(3), "ip", "-o", "addr"))
        .contains(network.host("n1"));
    network.close();
    assertThat(exists(network.bridge())).isFalse();
    assertThat(run("ip", "netns", "list")).doesNotContain(inside.get(3));
  }

  @Test
  void aNetworkIsClearedAwayOnceItsCoordinatorAndNodesAreGone() throws Exception {
    Namespaces stale = Namespaces.open(folder.resolve("stale"), Bandwidth.parse("1Gbps"));
    Namespaces used = Namespaces.open(folder.resolve("used"), Bandwidth.parse("1Gbps"));
    run("ip", "link", "set", stale.bridge(), "alias", ProcessHandle.current().pid() + "@1");
    Namespaces.open(folder.resolve("another"), Bandwidth.parse("1Gbps")).close();
    assertThat(exists(stale.bridge())).isFalse();
    assertThat(exists(used.bridge())).isTrue();
    used.close();
  }
}
