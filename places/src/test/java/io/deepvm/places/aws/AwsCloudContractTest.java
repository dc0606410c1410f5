package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.places.Cloud;
import io.deepvm.places.CloudContract;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.aws.fake.FakeInstance;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.io.TempDir;

/** The fake EC2 under the contract of clouds, on simulated time. */
class AwsCloudContractTest extends CloudContract {

  @TempDir private Path folder;

  @Override
  protected Fixture fixture() {
    return new AwsFixture(folder);
  }

  private static final class AwsFixture implements Fixture {
    private static final Duration STEP = Duration.ofMillis(500);
    private static final int STEPS = 1000;

    private final Path folder;
    private final AwsScene scene = new AwsScene(LIMIT, 1_000_000_000, 0);

    AwsFixture(Path folder) {
      this.folder = folder;
      scene.market.capacity("use1-az1", AwsScene.TYPE, LIMIT);
    }

    @Override
    public Cloud connect(OrderPoints points) throws IOException {
      return scene.cloud(
          folder,
          scene.time,
          (step, node) -> {
            switch (step) {
              case ORDER_WRITTEN -> points.reached(OrderPoint.BEFORE_START, node);
              case ORDER_ANSWERED -> points.reached(OrderPoint.AFTER_START, node);
              case GRANT_WRITTEN -> points.reached(OrderPoint.AFTER_CLAIM, node);
              default -> {}
            }
          });
    }

    @Override
    public void call(Runnable task) {
      task.run();
    }

    @Override
    public void await(BooleanSupplier something) {
      for (int i = 0; i < STEPS && !something.getAsBoolean(); i++) {
        scene.pass(STEP);
      }
      assertThat(something.getAsBoolean()).isTrue();
    }

    @Override
    public void pause() {
      scene.pass(Duration.ofSeconds(30));
    }

    @Override
    public void hold(boolean aside) {
      // Time stands still between the steps of a test anyway.
    }

    @Override
    public int machines(String node) {
      return (int) living().stream().filter(each -> each.tag(Requests.NODE).equals(node)).count();
    }

    private List<FakeInstance> living() {
      return scene.ec2.instances().stream().filter(FakeInstance::exists).toList();
    }

    @Override
    public void fail(String node) {
      living().stream()
          .filter(each -> each.tag(Requests.NODE).equals(node))
          .forEach(each -> scene.ec2.powerOff(each.id()));
      scene.pass(Duration.ofSeconds(20));
    }

    @Override
    public void close() {}
  }
}
