package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.places.News;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeFaults;
import io.deepvm.places.aws.fake.FakeInstance;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ledger.Bill;
import io.deepvm.places.ledger.Ledger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What keeps the cost of a run below its ceiling, and its machines from being forgotten. */
class CeilingTest {

  @TempDir private Path folder;

  private final Map<String, SimCoordinator.Logged> log = new HashMap<>();

  private SimCoordinator coordinator(AwsScene scene) throws Exception {
    SimCoordinator coordinator = new SimCoordinator(scene, folder, log, null);
    scene.pass(Duration.ofSeconds(1));
    return coordinator;
  }

  private static List<FakeInstance> living(AwsScene scene) {
    return scene.ec2.instances().stream().filter(FakeInstance::exists).toList();
  }

  private SimCoordinator.Logged logged(String node) {
    return Objects.requireNonNull(log.get(node));
  }

  @ParameterizedTest
  @EnumSource(
      value = FakeFaults.Fault.class,
      names = {"FAIL", "DENY", "LOSE_REQUEST", "THROTTLE"})
  void anEc2ThatAnswersNothingDoesNotHideTheCeiling(FakeFaults.Fault fault) throws Exception {
    AwsScene scene = new AwsScene(4, 400_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.ON_DEMAND));
    scene.pass(Duration.ofMinutes(3));
    assertThat(living(scene)).hasSize(1);
    for (String action : List.of("DescribeInstances", "TerminateInstances", "RunInstances")) {
      scene.ec2.faults().all(action, fault);
    }
    scene.pass(Duration.ofHours(3));
    assertThat(scene.ec2.micros()).isBetween(200_000L, 400_000L);
    assertThat(living(scene)).isEmpty();
    assertThat(coordinator.heard()).anyMatch(News.Closed.class::isInstance);
  }

  @Test
  void aMachineThatMustEndIsNotRenewed() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(20));
    scene.ec2.faults().all("TerminateInstances", FakeFaults.Fault.FAIL);
    coordinator.end("n1");
    scene.pass(Duration.ofMinutes(7));
    assertThat(living(scene)).isEmpty();
  }

  @Test
  void aSlowBootDoesNotLengthenTheLease() throws Exception {
    FakeEc2.Pace pace = new FakeEc2.Pace(400_000, 15_000, 0, AwsScene.NET);
    AwsScene scene = new AwsScene(4, 100_000_000, 86_400_000, pace);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.ON_DEMAND));
    scene.pass(Duration.ofSeconds(30));
    coordinator.halt();
    scene.pass(Duration.ofMinutes(30));
    long seconds = scene.settings.ceiling().terms().bootSeconds() + 60;
    assertThat(living(scene)).isEmpty();
    assertThat(scene.ec2.micros()).isLessThanOrEqualTo(AwsScene.ON_DEMAND * seconds / 3600);
  }

  @Test
  void aRunWithoutMachinesEndsAtItsTime() throws Exception {
    FakeEc2.Pace pace = new FakeEc2.Pace(20_000, 15_000, 0, AwsScene.NET);
    AwsScene scene = new AwsScene(4, 100_000_000, 3_600_000, pace);
    scene.market.capacity("use1-az1", AwsScene.TYPE, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(61));
    assertThat(coordinator.heard()).contains(new News.Closed("the run's time is over"));
  }

  @Test
  void aRunWithoutMachinesEndsIfTheCeilingHasNoRoomForOne() throws Exception {
    AwsScene scene = new AwsScene(4, 400_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.ON_DEMAND));
    scene.pass(Duration.ofMinutes(33));
    scene.ec2.interrupt(living(scene).get(0).id(), 0);
    scene.pass(Duration.ofMinutes(1));
    assertThat(coordinator.heard()).noneMatch(News.Closed.class::isInstance);
    coordinator.order(AwsScene.order("n2", 0, Market.ON_DEMAND));
    scene.pass(Duration.ofMinutes(1));
    assertThat(coordinator.heard())
        .contains(new News.Closed("the ceiling of $0.40 leaves no room for a machine"));
  }

  @Test
  void aLostReplyAndThenAnAuthRefusalKeepTheOrder() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    scene.ec2.faults().next("RunInstances", FakeFaults.Fault.LOSE_REPLY, 1);
    scene.ec2.faults().next("RunInstances", FakeFaults.Fault.DENY, 2);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(3));
    assertThat(living(scene)).hasSize(1);
    assertThat(logged("n1").isGone()).as(logged("n1").why()).isFalse();
    assertThat(new Ledger(folder).account("n1").granted()).isNotNull();
  }

  @Test
  void anEmptyListingWritesNoMachineOff() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(80));
    scene.ec2.hide(true);
    scene.pass(Duration.ofSeconds(20));
    scene.ec2.hide(false);
    scene.pass(Duration.ofMinutes(10));
    assertThat(living(scene)).hasSize(1);
    assertThat(new Ledger(folder).account("n1").gone()).isNull();
    assertThat(new Ledger(folder).account("n1").owed()).isNull();
  }

  @Test
  void anotherAccountIsRefusedAndWritesNothingOff() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(80));
    coordinator.halt();
    scene.ec2.account("999999999999");
    assertThatThrownBy(() -> coordinator(scene))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("123456789012")
        .hasMessageContaining("999999999999");
    // The other credentials may also come while a coordinator lives.
    scene.ec2.account(FakeEc2.ACCOUNT);
    SimCoordinator next = coordinator(scene);
    scene.ec2.account("999999999999");
    next.end("n1");
    scene.pass(Duration.ofHours(3));
    assertThat(new Ledger(folder).account("n1").isOwed()).isTrue();
    scene.ec2.account(FakeEc2.ACCOUNT);
    scene.pass(Duration.ofMinutes(5));
    Account account = new Ledger(folder).account("n1");
    assertThat(account.gone()).isNotNull();
    assertThat(account.isOwed()).isFalse();
  }

  @Test
  void aMachineThatEc2HasForgottenIsWrittenOffAtItsWorstCase() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(10));
    coordinator.halt();
    scene.pass(Duration.ofHours(20));
    assertThat(living(scene)).isEmpty();
    coordinator(scene);
    scene.pass(Duration.ofMinutes(5));
    Account.Gone gone = Objects.requireNonNull(new Ledger(folder).account("n1").gone());
    assertThat(gone.forgotten()).isTrue();
    assertThat(gone.exact()).isFalse();
    // Not twenty hours: its lease ended it.
    assertThat(gone.micros()).isBetween(scene.ec2.micros(), 2 * AwsScene.SPOT * 17 / 60);
  }

  @Test
  void aMachineOfAnotherUserIsNeverTouched() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    String other =
        scene.ec2.stranger(Map.of(Requests.RUN, "scene-0badcafe-2", Requests.NODE, "n1"));
    String plain = scene.ec2.stranger(Map.of("Name", "scene-0badcafe/n1"));
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofMinutes(3));
    coordinator.end("n1");
    scene.pass(Duration.ofMinutes(3));
    AwsAccount account = AwsAccount.of(scene.ec2, scene.time);
    assertThat(account.end(scene.settings.run())).isTrue();
    coordinator.close();
    assertThat(living(scene)).extracting(FakeInstance::id).containsExactly(other, plain);
  }

  private String settle(AwsScene scene, Duration patience) throws Exception {
    return new Settlement(
            scene.settings, scene.ec2, folder, scene.time, ms -> scene.pass(Duration.ofMillis(ms)))
        .settle(patience);
  }

  @Test
  void owedEndsAreRepeatedWithoutACoordinator() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 0);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    coordinator.order(AwsScene.order("n2", 0, Market.ON_DEMAND));
    scene.pass(Duration.ofMinutes(2));
    coordinator.halt();
    scene.ec2.faults().all("TerminateInstances", FakeFaults.Fault.DENY);
    assertThat(settle(scene, Duration.ofSeconds(20))).contains("AuthFailure");
    Bill open = Bill.of(new Ledger(folder), scene.settings.ceiling());
    assertThat(open.open()).containsExactly("n1", "n2");
    assertThat(open.mostMicros()).isGreaterThan(scene.ec2.micros());
    scene.ec2.faults().all("TerminateInstances", null);
    assertThat(settle(scene, Duration.ofMinutes(2))).isEmpty();
    assertThat(living(scene)).isEmpty();
    assertThat(scene.ec2.leaks()).isZero();
    Bill bill = Bill.of(new Ledger(folder), scene.settings.ceiling());
    assertThat(bill.isSettled()).isTrue();
    assertThat(bill.exact()).isTrue();
    assertThat(bill.micros()).isEqualTo(scene.ec2.micros()).isEqualTo(bill.mostMicros());
  }

  @Test
  void anOrderWithoutAnAnswerIsEndedWithoutACoordinator() throws Exception {
    AwsScene scene = new AwsScene(4, 100_000_000, 90_000);
    scene.ec2.faults().next("RunInstances", FakeFaults.Fault.LOSE_REPLY, 1);
    SimCoordinator coordinator = coordinator(scene);
    coordinator.order(AwsScene.order("n1", 0, Market.SPOT));
    scene.pass(Duration.ofSeconds(1));
    coordinator.halt();
    assertThat(living(scene)).hasSize(1);
    assertThat(settle(scene, Duration.ofMinutes(5))).isEmpty();
    assertThat(living(scene)).isEmpty();
  }
}
