package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import io.deepvm.places.aws.fake.FakeFaults;
import io.deepvm.places.aws.fake.FakeInstance;
import io.deepvm.places.ledger.Account;
import io.deepvm.places.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

  /** The end of a coordinator. */
  private static final class Halted extends Error {
    private static final long serialVersionUID = 1;
  }

  /** What a run's event log would say of a node. */
  private static final class Logged {
    final Order order;
    @Nullable String handle;
    boolean gone;

    Logged(Order order) {
      this.order = order;
    }
  }

  /** One coordinator: orders two nodes, ends them, and repeats what is not answered. */
  private final class Coordinator implements Timers {
    private final AwsScene scene;
    private final Map<String, Logged> log;
    private final @Nullable RentalStep fatal;
    private final AwsCloud cloud;
    private boolean alive = true;

    Coordinator(AwsScene scene, Map<String, Logged> log, @Nullable RentalStep fatal)
        throws IOException {
      this.scene = scene;
      this.log = log;
      this.fatal = fatal;
      this.cloud = scene.cloud(folder, this, this::reached);
      List<Tenancy.Held> held = new ArrayList<>();
      for (Logged each : log.values()) {
        if (!each.gone) {
          held.add(new Tenancy.Held(each.order, each.handle, 0, null));
        }
      }
      after(
          0,
          () -> {
            try {
              cloud.open(new Tenancy("run", 0, 1, held), this::receive);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }

    private void reached(RentalStep step, String node) {
      if (step == fatal && node.equals("n2")) {
        throw new Halted();
      }
    }

    private void receive(News news) {
      if (news instanceof News.Granted granted) {
        logged(granted.node()).handle = granted.handle();
      } else if (news instanceof News.Gone gone) {
        logged(gone.node()).gone = true;
      }
    }

    private Logged logged(String node) {
      return Objects.requireNonNull(log.get(node));
    }

    /** Orders as long as it is not answered. */
    void order(Order order) {
      Logged logged = log.computeIfAbsent(order.node(), any -> new Logged(order));
      if (alive && logged.handle == null && !logged.gone) {
        cloud.order(order);
        after(2_000_000, () -> order(order));
      }
    }

    /** Asks for the end as long as it is not confirmed. */
    void end(String node) {
      Logged logged = log.get(node);
      if (alive && logged != null && !logged.gone) {
        cloud.end(node, "the run does not need it");
        after(2_000_000, () -> end(node));
      }
    }

    @Override
    public void after(long micros, Runnable task) {
      scene.time.after(
          micros,
          () -> {
            if (alive) {
              try {
                task.run();
              } catch (Halted e) {
                alive = false;
              }
            }
          });
    }

    @Override
    public void aside(Runnable task) {
      after(0, task);
    }
  }

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
  private Map<String, Logged> haltedAt(AwsScene scene, RentalStep step) throws IOException {
    Map<String, Logged> log = new HashMap<>();
    Coordinator first = new Coordinator(scene, log, step);
    scene.pass(Duration.ofSeconds(1));
    first.order(AwsScene.order("n1", 0, Market.SPOT));
    first.order(AwsScene.order("n2", 1, Market.SPOT));
    scene.pass(Duration.ofMinutes(3));
    first.end("n2");
    scene.pass(Duration.ofMinutes(4));
    assertThat(first.alive).as("halted at %s", step).isFalse();
    return log;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theNextCoordinatorLeavesNothingAndItsBillIsTheMeter(
      RentalStep step, boolean lost, boolean late) throws Exception {
    AwsScene scene = scene(lost, late);
    Map<String, Logged> log = haltedAt(scene, step);
    Coordinator next = new Coordinator(scene, log, null);
    scene.pass(Duration.ofSeconds(30));
    log.keySet().forEach(next::end);
    scene.pass(Duration.ofMinutes(5));
    assertThat(log.values()).allMatch(each -> each.gone);
    next.cloud.close();
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
