package io.deepvm.places.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.places.Cloud;
import io.deepvm.places.CloudContract;
import io.deepvm.places.Launch;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of clouds, kept by a real Slurm with three nodes, and what only Slurm does. */
class SlurmCloudIT extends CloudContract {

  @TempDir private static Path shared;
  @TempDir private Path folder;
  private static TestSlurm cluster;

  @BeforeAll
  static void start() throws Exception {
    TestSlurm.require();
    cluster = TestSlurm.start(shared.resolve("slurm"));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Override
  protected Fixture fixture() {
    return slurm();
  }

  private SlurmFixture slurm() {
    return new SlurmFixture(folder, cluster, POOLS, LIMIT);
  }

  private static Order order(String node, String command) {
    Launch launch = new Launch(List.of("sh", "-c", command), Map.of("QUOTED", "it's $HOME"));
    return new Order("token-" + node, node, 0, Market.SPOT, launch);
  }

  private static Cloud opened(SlurmFixture place, List<News> news) throws IOException {
    Cloud cloud = place.connect(OrderPoints.NONE);
    place.call(
        () -> {
          try {
            cloud.open(new Tenancy("run", 0, 1, List.of()), news::add);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    return cloud;
  }

  @Test
  void aJobGetsItsVariablesItsLeaseAndItsNoticeAndIsNeverRequeued() throws Exception {
    List<News> news = new CopyOnWriteArrayList<>();
    try (SlurmFixture place = slurm()) {
      Cloud cloud = opened(place, news);
      String command = "env >vars.new; mv vars.new vars; exec sleep 1000";
      place.call(() -> cloud.order(order("n1", command)));
      Path home = folder.resolve("run/nodes/n1");
      place.await(() -> Files.exists(home.resolve("vars")));
      assertThat(Files.readAllLines(home.resolve("vars")))
          .contains(
              "QUOTED=it's $HOME",
              "DEEPVM_HOST=127.0.0.1",
              "DEEPVM_TYPE=local",
              "DEEPVM_TERM_SECONDS=30.0",
              "DEEPVM_NOTICES=auto",
              "DEEPVM_FOLDER=" + home);
      String job =
          place.slurm().jobs().stream()
              .filter(each -> each.name().endsWith("-n1"))
              .findFirst()
              .orElseThrow()
              .id();
      assertThat(cluster.command("scontrol", "--oneliner", "show", "job", job))
          .contains("Requeue=0", "TimeLimit=00:10:00");
      assertThat(cluster.command("scontrol", "write", "batch_script", job, "-")).contains("QUOTED");
    }
  }

  @Test
  void aJobThatWaitsInTheQueueIsNoAnswerAndCanBeEnded() throws Exception {
    List<News> news = new CopyOnWriteArrayList<>();
    try (SlurmFixture place = slurm()) {
      cluster.command("scontrol", "update", "partitionname=cpu", "state=down");
      Cloud cloud = opened(place, news);
      place.call(() -> cloud.order(order("n1", "exec sleep 1000")));
      place.await(() -> jobs(place) == 1);
      place.pause();
      assertThat(news).allMatch(News.MarketRead.class::isInstance);
      place.call(() -> cloud.end("n1", "not needed"));
      place.await(() -> news.stream().anyMatch(News.Gone.class::isInstance));
      assertThat(jobs(place)).isZero();
    } finally {
      cluster.command("scontrol", "update", "partitionname=cpu", "state=up");
    }
  }

  private static long jobs(SlurmFixture place) {
    try {
      return place.slurm().jobs().stream()
          .filter(job -> job.name().contains(place.settings().run()))
          .count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aJobThatSlurmRefusesIsRefusedInItsWords() throws Exception {
    List<News> news = new CopyOnWriteArrayList<>();
    try (SlurmFixture place = slurm()) {
      cluster.command("scontrol", "update", "partitionname=cpu", "state=inactive");
      Cloud cloud = opened(place, news);
      place.call(() -> cloud.order(order("n1", "exec sleep 1000")));
      place.await(() -> news.stream().anyMatch(News.Refused.class::isInstance));
      assertThat(place.machines("n1")).isZero();
    } finally {
      cluster.command("scontrol", "update", "partitionname=cpu", "state=up");
    }
  }
}
