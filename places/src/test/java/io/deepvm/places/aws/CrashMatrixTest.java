package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.places.aws.fake.FakeFaults;
import io.deepvm.places.aws.fake.FakeInstance;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Coordinators that are halted at each step of a machine's life, with replies that are lost and
 * listings that are late. The ledger and the cloud are the real ones; EC2 and time are not.
 */
class CrashMatrixTest {

  private static final Duration LIST_LAG = Duration.ofSeconds(90);

  @TempDir private Path folder;

  static Stream<Arguments> cases() {
    return Stream.of(RentalStep.values())
        .flatMap(
            step ->
                Stream.of(false, true)
                    .flatMap(
                        lost ->
                            Stream.of(false, true).map(late -> Arguments.of(step, lost, late))));
  }

  private AwsScene scene(boolean lost, boolean late) {
    AwsScene scene = new AwsScene(4, 100_000_000, late ? LIST_LAG.toMillis() : 0);
    if (lost) {
      // The first is that of n1; n2 is halted.
      for (String action : List.of("RunInstances", "TerminateInstances", "CreateSecurityGroup")) {
        scene.ec2.faults().next(action, FakeFaults.Fault.LOSE_REPLY, 2);
      }
    }
    return scene;
  }

  /** Lets a coordinator rent two nodes and end them; it is halted on the way. */
  private Map<String, SimCoordinator.Logged> haltedAt(AwsScene scene, RentalStep step)
      throws IOException {
    Map<String, SimCoordinator.Logged> log = new HashMap<>();
    SimCoordinator first = new SimCoordinator(scene, folder, log, step);
    scene.pass(Duration.ofSeconds(1));
    first.order(AwsScene.order("n1", 0, Market.SPOT));
    first.order(AwsScene.order("n2", 1, Market.SPOT));
    scene.pass(Duration.ofMinutes(3));
    first.end("n2");
    scene.pass(Duration.ofMinutes(4));
    assertThat(first.isAlive()).as("halted at %s", step).isFalse();
    return log;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theNextCoordinatorLeavesNothingAndItsBillIsTheMeter(
      RentalStep step, boolean lost, boolean late) throws Exception {
    AwsScene scene = scene(lost, late);
    Map<String, SimCoordinator.Logged> log = haltedAt(scene, step);
    SimCoordinator next = new SimCoordinator(scene, folder, log, null);
    scene.pass(Duration.ofSeconds(30));
    log.keySet().forEach(next::end);
    scene.pass(Duration.ofMinutes(5));
    assertThat(log.values()).allMatch(SimCoordinator.Logged::isGone);
    next.close();
    assertThat(scene.ec2.leaks()).as("leaks").isZero();
    List<Account> accounts = new Ledger(folder).accounts();
    assertThat(accounts).noneMatch(Account::isOwed).noneMatch(Account::mayCost);
    assertThat(Ledger.micros(accounts)).as("the bill").isEqualTo(scene.ec2.micros());
    assertThat(scene.ec2.micros()).isLessThan(scene.settings.ceiling().micros());
    assertThat(scene.ec2.instances().size()).as("machines").isLessThanOrEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void machinesEndThemselvesIfNoCoordinatorComes(RentalStep step, boolean lost, boolean late)
      throws Exception {
    AwsScene scene = scene(lost, late);
    haltedAt(scene, step);
    scene.pass(Duration.ofMinutes(25));
    assertThat(scene.ec2.instances()).as("machines").noneMatch(FakeInstance::exists);
  }
}
