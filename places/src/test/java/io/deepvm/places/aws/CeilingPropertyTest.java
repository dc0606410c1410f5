package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeFaults;
import io.deepvm.places.aws.fake.FakeInstance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Whatever happens to coordinators, requests, prices and boots: the meter of EC2 never passes the
 * ceiling of the run, and no machine is left.
 */
class CeilingPropertyTest {

  private static final List<String> ACTIONS =
      List.of(
          "RunInstances",
          "TerminateInstances",
          "DescribeInstances",
          "DescribeSpotPriceHistory",
          "GetCallerIdentity",
          "CreateSecurityGroup");

  private static final List<FakeFaults.Fault> FAULTS = List.of(FakeFaults.Fault.values());

  @Property(tries = 20)
  void theMeterNeverPassesTheCeiling(@ForAll long seed) throws IOException {
    Story story = new Story(seed);
    try {
      story.live();
      assertThat(story.scene.ec2.micros())
          .as("the meter of the story %d", seed)
          .isLessThanOrEqualTo(story.scene.settings.ceiling().micros());
      assertThat(story.scene.ec2.instances())
          .as("the machines of the story %d", seed)
          .noneMatch(FakeInstance::exists);
    } finally {
      story.delete();
    }
  }

  /** The stories are no test if nothing is rented in them, or the ceiling is never near. */
  @Example
  void theStoriesComeNearTheirCeilings() throws IOException {
    int rented = 0;
    int near = 0;
    for (long seed = 0; seed < 8; seed++) {
      Story story = new Story(seed);
      try {
        story.live();
        rented += story.scene.ec2.instances().isEmpty() ? 0 : 1;
        near += 2 * story.scene.ec2.micros() > story.scene.settings.ceiling().micros() ? 1 : 0;
      } finally {
        story.delete();
      }
    }
    assertThat(rented).isGreaterThan(5);
    assertThat(near).isGreaterThan(1);
  }

  /** One run, drawn by a seed. */
  private static final class Story {
    private final Random random;
    private final AwsScene scene;
    private final Path folder;
    private final int wanted;
    private final long lastsMs;
    private final Map<String, SimCoordinator.Logged> log = new HashMap<>();
    private int nodes;

    Story(long seed) throws IOException {
      random = new Random(seed);
      Path memory = Path.of("/dev/shm");
      folder =
          Files.isWritable(memory)
              ? Files.createTempDirectory(memory, "ceiling")
              : Files.createTempDirectory("ceiling");
      wanted = 1 + random.nextInt(4);
      lastsMs = minutes(60, 240);
      long bootMs = 1000L * (5 + random.nextInt(400));
      long lagMs = 1000L * random.nextInt(120);
      long ceiling = 200_000L + random.nextInt(2_000_000);
      FakeEc2.Pace pace = new FakeEc2.Pace(bootMs, 15_000, lagMs, AwsScene.NET);
      scene = new AwsScene(4, ceiling, lastsMs, pace);
    }

    private long minutes(int least, int most) {
      return 60_000L * (least + random.nextInt(most - least));
    }

    void live() throws IOException {
      long end = scene.time.millis() + lastsMs + 7_200_000;
      movePrices(scene.time.millis(), end);
      while (scene.time.millis() < end) {
        SimCoordinator coordinator;
        try {
          coordinator = new SimCoordinator(scene, folder, log, null);
        } catch (BadInput e) {
          // The credentials are refused just now.
          scene.pass(Duration.ofMinutes(1));
          heal();
          continue;
        }
        long until = Math.min(end, scene.time.millis() + minutes(1, 90));
        while (scene.time.millis() < until) {
          act(coordinator);
          scene.pass(Duration.ofSeconds(10 + random.nextInt(50)));
        }
        coordinator.halt();
        scene.pass(Duration.ofMillis(random.nextBoolean() ? minutes(0, 4) : minutes(0, 70)));
      }
      heal();
      scene.pass(Duration.ofMinutes(30));
    }

    /** Spot prices move, sometimes above what is paid at most. */
    private void movePrices(long from, long until) {
      for (String zone : List.of("use1-az1", "use1-az2")) {
        for (long at = from; at < until; at += minutes(3, 60)) {
          scene.market.price(
              zone, AwsScene.TYPE, at, AwsScene.SPOT * (50 + random.nextInt(200)) / 100);
        }
      }
    }

    private void act(SimCoordinator coordinator) {
      List<String> living = new ArrayList<>();
      log.forEach(
          (node, logged) -> {
            if (!logged.isGone()) {
              living.add(node);
            }
          });
      if (living.size() < wanted) {
        Market market = random.nextInt(4) == 0 ? Market.ON_DEMAND : Market.SPOT;
        coordinator.order(AwsScene.order("n" + ++nodes, random.nextInt(3), market));
      } else if (random.nextInt(30) == 0) {
        coordinator.end(living.get(random.nextInt(living.size())));
      }
      int what = random.nextInt(60);
      String action = ACTIONS.get(random.nextInt(ACTIONS.size()));
      FakeFaults.Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
      if (what < 6) {
        scene.ec2.faults().next(action, fault, 1 + random.nextInt(5));
      } else if (what == 6) {
        scene.ec2.faults().all(action, fault);
      } else if (what == 7) {
        ACTIONS.forEach(each -> scene.ec2.faults().all(each, fault));
      } else if (what < 13) {
        heal();
      } else if (what == 13) {
        scene.ec2.instances().stream()
            .filter(FakeInstance::exists)
            .findAny()
            .ifPresent(each -> scene.ec2.interrupt(each.id(), 1000L * random.nextInt(120)));
      }
    }

    private void heal() {
      ACTIONS.forEach(each -> scene.ec2.faults().all(each, null));
    }

    void delete() throws IOException {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
