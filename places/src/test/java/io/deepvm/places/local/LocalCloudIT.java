package io.deepvm.places.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.places.Cloud;
import io.deepvm.places.CloudContract;
import io.deepvm.places.Launch;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import io.deepvm.places.testing.ThreadTimers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LocalCloudIT extends CloudContract {

  private static final long PATIENCE_SECONDS = 30;

  @TempDir Path folder;

  @Override
  protected Fixture fixture() {
    return new LocalFixture(folder, LocalOptions.atOnce(LIMIT), POOLS);
  }

  private static Order order(String... command) {
    return new Order(
        "t", "n1", 0, Market.SPOT, new Launch(List.of(command), Map.of("COLOUR", "blue")));
  }

  /** A cloud with a queue of its news. */
  private final class Connection implements AutoCloseable {
    final ThreadTimers timers = new ThreadTimers();
    final BlockingQueue<News> news = new LinkedBlockingQueue<>();
    final Cloud cloud;

    Connection(LocalOptions options, Tenancy.Held... held) throws IOException {
      cloud = new LocalCloud(options, POOLS, timers, Clock.systemUTC());
      assertThat(cloud.prepare(folder)).isEqualTo("127.0.0.1");
      timers.call(
          () -> {
            try {
              cloud.open(new Tenancy("run", 0, 1, List.of(held)), news::add);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }

    <T extends News> T await(Class<T> kind) throws InterruptedException {
      while (true) {
        News next = news.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("news of " + kind).isNotNull();
        if (kind.isInstance(next)) {
          return kind.cast(next);
        }
      }
    }

    @Override
    public void close() {
      timers.call(cloud::close);
      timers.close();
    }
  }

  @Test
  void aNodeLearnsWhatOnlyItsPlaceKnows() throws Exception {
    LocalOptions slow = new LocalOptions(1, 60, 0, Map.of("local", 0.5), null);
    long before = System.currentTimeMillis();
    try (Connection run = new Connection(slow)) {
      run.timers.call(
          () ->
              run.cloud.order(
                  order(
                      "sh",
                      "-c",
                      "echo $COLOUR $DEEPVM_HOST $DEEPVM_TYPE $DEEPVM_SPEED >seen;"
                          + " echo $DEEPVM_READY_AT_MS >ready; echo $DEEPVM_FOLDER >folder;"
                          + " echo printed")));
      assertThat(run.await(News.Gone.class).cause()).isEqualTo(News.Cause.FAILED);
    }
    Path home = folder.resolve("nodes/n1");
    assertThat(home.resolve("seen")).hasContent("blue 127.0.0.1 local 0.5");
    assertThat(home.resolve("folder")).hasContent(home.toString());
    assertThat(home.resolve("agent.log")).hasContent("printed");
    assertThat(Long.parseLong(Files.readString(home.resolve("ready")).strip()))
        .isBetween(before + 60_000, System.currentTimeMillis() + 60_000);
  }

  @Test
  void endKillsWhatTheNodeStartedToo() throws Exception {
    try (Connection run = new Connection(LocalOptions.atOnce(1))) {
      run.timers.call(
          () ->
              run.cloud.order(
                  order(
                      "sh",
                      "-c",
                      "trap '' TERM; sleep 1000 & echo $! >child; setsid sleep 1000 &"
                          + " echo $! >other; touch done; wait")));
      run.await(News.Granted.class);
      Path home = folder.resolve("nodes/n1");
      new LocalFixture(folder, LocalOptions.atOnce(1), POOLS)
          .await(() -> Files.exists(home.resolve("done")));
      run.timers.call(() -> run.cloud.end("n1", "enough"));
      News.Gone gone = run.await(News.Gone.class);
      assertThat(gone).isEqualTo(new News.Gone("n1", News.Cause.ENDED, "enough"));
      for (String file : List.of("child", "other")) {
        long pid = Long.parseLong(Files.readString(home.resolve(file)).strip());
        assertThat(ProcessId.of(pid).filter(ProcessId::isAlive)).as(file).isEmpty();
      }
    }
  }

  @Test
  void aNodeWhoseCommandDoesNotExistIsReportedAsFailed() throws Exception {
    try (Connection run = new Connection(LocalOptions.atOnce(1))) {
      run.timers.call(() -> run.cloud.order(order("no-such-command")));
      assertThat(run.await(News.Gone.class).cause()).isEqualTo(News.Cause.FAILED);
    }
    assertThat(Files.readString(folder.resolve("nodes/n1/agent.log"))).contains("no-such-command");
  }

  @Test
  void anOrderThatCannotStartIsRefusedAsBroken() throws Exception {
    Files.writeString(folder.resolve("nodes"), "not a folder");
    try (Connection run = new Connection(LocalOptions.atOnce(1))) {
      run.timers.call(() -> run.cloud.order(order("sleep", "1000")));
      News.Refused refused = run.await(News.Refused.class);
      assertThat(refused.why()).isEqualTo(News.Refusal.BROKEN);
      assertThat(refused.reason()).contains("nodes");
    }
    Files.delete(folder.resolve("nodes"));
  }

  @Test
  void aNodeWhoseProcessCannotClaimItIsRefusedAsBroken() throws Exception {
    // A link to nowhere: the process can neither claim the node nor find its holder.
    Path home = Files.createDirectories(folder.resolve("nodes/n1"));
    Files.createSymbolicLink(home.resolve("claim"), home.resolve("nowhere/claim"));
    try (Connection run = new Connection(LocalOptions.atOnce(1))) {
      run.timers.call(() -> run.cloud.order(order("sleep", "1000")));
      assertThat(run.await(News.Refused.class).why()).isEqualTo(News.Refusal.BROKEN);
    }
    assertThat(new LocalFixture(folder, LocalOptions.atOnce(1), POOLS).machines("n1")).isZero();
  }

  @Test
  void aNumberThatAnotherProcessHasNowIsNotTheNode() throws Exception {
    String handle = ProcessHandle.current().pid() + "@1";
    Tenancy.Held held = new Tenancy.Held(order("sleep", "1000"), handle, 0, null);
    try (Connection run = new Connection(LocalOptions.atOnce(1), held)) {
      assertThat(run.await(News.Gone.class).cause()).isEqualTo(News.Cause.FAILED);
    }
  }

  @Test
  void ofManyProcessesThatClaimANodeOneBecomesIt() throws Exception {
    Path home = Files.createDirectories(folder.resolve("nodes/n1"));
    List<Process> rivals = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      List<String> line = new ArrayList<>(Claim.script());
      line.addAll(List.of("sleep", "1000"));
      rivals.add(new ProcessBuilder(line).directory(home.toFile()).start());
    }
    List<String> holders = new ArrayList<>();
    for (Process rival : rivals) {
      holders.add(rival.inputReader().readLine());
    }
    assertThat(holders).containsOnly(holders.get(0));
    long winner = ProcessId.parse(holders.get(0)).pid();
    for (Process rival : rivals) {
      if (rival.pid() != winner) {
        assertThat(rival.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      }
    }
    assertThat(rivals).filteredOn(Process::isAlive).hasSize(1);
    rivals.forEach(Process::destroyForcibly);
  }

  @ParameterizedTest
  @EnumSource
  void aCoordinatorProcessThatDiesBetweenOrderAndRecordLeavesNothingBehind(OrderPoint point)
      throws Exception {
    Process coordinator =
        new ProcessBuilder(
                JavaCommand.of(List.of(), Ordering.class, folder.toString(), point.name()))
            .inheritIO()
            .start();
    assertThat(coordinator.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(coordinator.exitValue()).isEqualTo(Ordering.DIED);

    LocalFixture place = new LocalFixture(folder, LocalOptions.atOnce(1), POOLS);
    Tenancy.Held held = new Tenancy.Held(order("sleep", "1000"), null, 0, null);
    try (Connection next = new Connection(LocalOptions.atOnce(1), held)) {
      next.await(News.Granted.class);
      place.pause();
      assertThat(place.machines("n1")).isEqualTo(1);
      next.timers.call(() -> next.cloud.end("n1", "the run is over"));
      next.await(News.Gone.class);
    }
    place.pause();
    assertThat(place.machines("n1")).isZero();
  }

  /** A coordinator that dies at a point of its first order, as if it were killed. */
  static final class Ordering {
    static final int DIED = 99;

    private Ordering() {}

    public static void main(String[] args) throws Exception {
      OrderPoint fatal = OrderPoint.valueOf(args[1]);
      OrderPoints points =
          (point, node) -> {
            if (point == fatal) {
              Runtime.getRuntime().halt(DIED);
            }
          };
      ThreadTimers timers = new ThreadTimers();
      LocalCloud cloud =
          new LocalCloud(LocalOptions.atOnce(1), POOLS, timers, Clock.systemUTC(), points);
      cloud.prepare(Path.of(args[0]));
      cloud.open(new Tenancy("run", 0, 1, List.of()), news -> {});
      timers.call(() -> cloud.order(order("sleep", "1000")));
      Thread.sleep(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }
  }
}
