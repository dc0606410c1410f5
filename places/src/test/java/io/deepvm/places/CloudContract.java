package io.deepvm.places;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every cloud must do. A place passes it with a fixture of its own. */
public abstract class CloudContract {

  protected static final int LIMIT = 4;

  protected static final List<Pool> POOLS =
      List.of(new Pool(new Place("local", "here", null), "local"));

  /** How a test reaches a place. */
  public interface Fixture extends AutoCloseable {

    /** Returns a cloud as a new coordinator has it, prepared but not open. */
    Cloud connect(OrderPoints points) throws IOException;

    /** Does something on the owner's thread, and returns when it is done. */
    void call(Runnable task);

    /** Lets time pass until something is so, or fails. */
    void await(BooleanSupplier something);

    /** Lets pass the time in which the place would answer. */
    void pause();

    /** Lets nothing happen aside until it is released. */
    void hold(boolean aside);

    /** Returns the number of machines that exist for a node. */
    int machines(String node);

    /** Lets the machine of a node end by itself. */
    void fail(String node);

    @Override
    void close();
  }

  /** Ends a coordinator at a point of an order. */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed(OrderPoint point) {
      super("killed at " + point);
    }
  }

  /** One coordinator and the news that it got. */
  private final class Coordinator {
    final Cloud cloud;
    final List<News> news = new ArrayList<>();
    private boolean inside;

    Coordinator(OrderPoints points, Tenancy.Held... held) throws IOException {
      cloud = place.connect(points);
      Tenancy tenancy = new Tenancy("run", 0, 1, List.of(held));
      call(
          () -> {
            try {
              cloud.open(tenancy, this::receive);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }

    private void receive(News fact) {
      assertThat(inside).as("news inside a call").isFalse();
      synchronized (news) {
        news.add(fact);
      }
    }

    private void call(Runnable task) {
      place.call(
          () -> {
            inside = true;
            try {
              task.run();
            } finally {
              inside = false;
            }
          });
    }

    void order(String node) {
      call(() -> cloud.order(CloudContract.this.order(node)));
    }

    void end(String node) {
      call(() -> cloud.end(node, "test"));
    }

    void close() {
      call(cloud::close);
    }

    <T extends News> List<T> all(Class<T> kind, Predicate<T> which) {
      synchronized (news) {
        return news.stream().filter(kind::isInstance).map(kind::cast).filter(which).toList();
      }
    }

    List<News.Granted> granted(String node) {
      return all(News.Granted.class, granted -> granted.node().equals(node));
    }

    List<News.Gone> gone(String node) {
      return all(News.Gone.class, gone -> gone.node().equals(node));
    }

    List<News.Refused> refused(String node) {
      return all(News.Refused.class, refused -> refused.node().equals(node));
    }

    String awaitGranted(String node) {
      place.await(() -> !granted(node).isEmpty());
      return granted(node).get(0).handle();
    }

    News.Gone awaitGone(String node) {
      place.await(() -> !gone(node).isEmpty());
      return gone(node).get(0);
    }
  }

  private Fixture place;

  /** Returns a new place without machines. */
  protected abstract Fixture fixture() throws Exception;

  /** Returns the command of a machine, which must live until it is ended. */
  protected List<String> command() {
    return List.of("sleep", "1000");
  }

  @BeforeEach
  void begin() throws Exception {
    place = fixture();
  }

  @AfterEach
  void end() {
    place.close();
  }

  private Order order(String node) {
    return new Order(
        "token-" + node, node, 0, Market.SPOT, new Launch(command(), Map.of("CONTRACT", "yes")));
  }

  private Tenancy.Held held(String node, @Nullable String handle) {
    return new Tenancy.Held(order(node), handle, 0, null);
  }

  private Coordinator coordinator(Tenancy.Held... held) throws IOException {
    return new Coordinator(OrderPoints.NONE, held);
  }

  // --- Orders ---

  @Test
  void anOrderGivesOneMachineAndItsHandle() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    assertThat(run.awaitGranted("n1")).isNotEmpty();
    assertThat(place.machines("n1")).isEqualTo(1);
  }

  @Test
  void theSameOrderTwiceAtOnceGivesOneMachine() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.order("n1");
    run.awaitGranted("n1");
    place.pause();
    assertThat(place.machines("n1")).isEqualTo(1);
    assertThat(run.granted("n1"))
        .extracting(News.Granted::handle)
        .containsOnly(run.granted("n1").get(0).handle());
  }

  @Test
  void anOrderThatIsRepeatedAfterItsAnswerIsAnsweredAgainWithTheSameHandle() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    String handle = run.awaitGranted("n1");
    run.order("n1");
    place.await(() -> run.granted("n1").size() > 1);
    assertThat(run.granted("n1")).extracting(News.Granted::handle).containsOnly(handle);
    assertThat(place.machines("n1")).isEqualTo(1);
  }

  @Test
  void twoCoordinatorsThatSendTheSameOrderGetTheSameMachine() throws Exception {
    Coordinator one = coordinator();
    Coordinator other = coordinator();
    one.order("n1");
    other.order("n1");
    assertThat(one.awaitGranted("n1")).isEqualTo(other.awaitGranted("n1"));
    assertThat(place.machines("n1")).isEqualTo(1);
  }

  @Test
  void eachNodeHasItsOwnMachine() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.order("n2");
    run.order("n3");
    assertThat(List.of(run.awaitGranted("n1"), run.awaitGranted("n2"), run.awaitGranted("n3")))
        .doesNotHaveDuplicates();
  }

  @Test
  void anOrderAboveTheLimitIsRefusedForLackOfCapacity() throws Exception {
    Coordinator run = coordinator();
    fill(run);
    run.order("n9");
    place.await(() -> !run.refused("n9").isEmpty());
    assertThat(run.refused("n9").get(0).why()).isEqualTo(News.Refusal.CAPACITY);
    assertThat(run.refused("n9").get(0).reason()).isNotBlank();
    assertThat(run.refused("n9").get(0).retryAfterSeconds()).isPositive();
    assertThat(place.machines("n9")).isZero();
    assertThat(run.cloud.limit()).isEqualTo(LIMIT);
  }

  private void fill(Coordinator run) {
    for (int i = 1; i <= LIMIT; i++) {
      run.order("n" + i);
    }
    for (int i = 1; i <= LIMIT; i++) {
      run.awaitGranted("n" + i);
    }
  }

  @Test
  void aRefusedOrderIsGrantedOnceThereIsRoom() throws Exception {
    Coordinator run = coordinator();
    fill(run);
    run.order("n9");
    place.await(() -> !run.refused("n9").isEmpty());
    run.end("n1");
    run.awaitGone("n1");
    run.order("n9");
    run.awaitGranted("n9");
    assertThat(place.machines("n9")).isEqualTo(1);
  }

  @Test
  void nothingBlocksTheOwnersThread() throws Exception {
    Coordinator run = coordinator();
    place.hold(true);
    run.order("n1");
    run.order("n2");
    run.end("n2");
    run.end("n3");
    assertThat(run.cloud.market().pools()).isNotEmpty();
    // A market is read at its own pace, whatever the machines do.
    assertThat(run.news).allMatch(news -> news instanceof News.MarketRead);
    place.hold(false);
    run.awaitGranted("n1");
    run.awaitGone("n2");
    run.awaitGone("n3");
    assertThat(place.machines("n2")).isZero();
  }

  // --- Ends ---

  @Test
  void endTakesTheMachineAwayAndGoneConfirmsIt() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.awaitGranted("n1");
    run.end("n1");
    News.Gone gone = run.awaitGone("n1");
    assertThat(gone.cause()).isEqualTo(News.Cause.ENDED);
    assertThat(place.machines("n1")).isZero();
  }

  @Test
  void endIsConfirmedAsOftenAsItIsAskedFor() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.awaitGranted("n1");
    run.end("n1");
    run.awaitGone("n1");
    int before = run.gone("n1").size();
    run.end("n1");
    place.await(() -> run.gone("n1").size() > before);
    assertThat(run.gone("n1")).extracting(News.Gone::cause).containsOnly(News.Cause.ENDED);
  }

  @Test
  void endOfANodeThatWasNeverOrderedIsConfirmed() throws Exception {
    Coordinator run = coordinator();
    run.end("n7");
    assertThat(run.awaitGone("n7").cause()).isEqualTo(News.Cause.ENDED);
  }

  @Test
  void anOrderThatArrivesAfterTheEndStartsNothing() throws Exception {
    Coordinator run = coordinator();
    run.end("n1");
    run.awaitGone("n1");
    coordinator().order("n1");
    run.order("n1");
    place.await(() -> run.gone("n1").size() > 1);
    place.pause();
    assertThat(place.machines("n1")).isZero();
    assertThat(run.granted("n1")).isEmpty();
  }

  @Test
  void anEndRightAfterTheOrderLeavesNothing() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.end("n1");
    run.awaitGone("n1");
    place.pause();
    assertThat(place.machines("n1")).isZero();
  }

  @Test
  void aMachineThatEndsByItselfIsReportedAsFailed() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.awaitGranted("n1");
    place.fail("n1");
    assertThat(run.awaitGone("n1").cause()).isEqualTo(News.Cause.FAILED);
  }

  @Test
  void anOrderWhoseMachineHasEndedStartsNoOther() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.awaitGranted("n1");
    place.fail("n1");
    run.awaitGone("n1");
    int before = run.gone("n1").size();
    run.order("n1");
    place.await(() -> run.gone("n1").size() > before);
    assertThat(place.machines("n1")).isZero();
  }

  // --- Coordinators that come and go ---

  @Test
  void closeLeavesTheMachinesAndEndsTheNews() throws Exception {
    Coordinator run = coordinator();
    run.order("n1");
    run.awaitGranted("n1");
    run.close();
    int before = run.news.size();
    place.pause();
    assertThat(place.machines("n1")).isEqualTo(1);
    place.fail("n1");
    place.pause();
    assertThat(run.news).hasSize(before);
  }

  @Test
  void aHeldNodeThatLivesIsGrantedAgain() throws Exception {
    Coordinator first = coordinator();
    first.order("n1");
    String handle = first.awaitGranted("n1");
    first.close();
    Coordinator next = coordinator(held("n1", handle));
    assertThat(next.awaitGranted("n1")).isEqualTo(handle);
    assertThat(place.machines("n1")).isEqualTo(1);
  }

  @Test
  void aHeldNodeThatEndedMeanwhileIsReportedAsGone() throws Exception {
    Coordinator first = coordinator();
    first.order("n1");
    String handle = first.awaitGranted("n1");
    first.close();
    place.fail("n1");
    Coordinator next = coordinator(held("n1", handle));
    assertThat(next.awaitGone("n1").cause()).isEqualTo(News.Cause.FAILED);
    assertThat(next.granted("n1")).isEmpty();
  }

  @Test
  void aHeldNodeWhoseAnswerWasNotRecordedIsFoundAgain() throws Exception {
    Coordinator first = coordinator();
    first.order("n1");
    String handle = first.awaitGranted("n1");
    first.close();
    Coordinator next = coordinator(held("n1", null));
    assertThat(next.awaitGranted("n1")).isEqualTo(handle);
    assertThat(place.machines("n1")).isEqualTo(1);
  }

  @Test
  void aHeldNodeWhoseAnswerWasNotRecordedAndThatEndedIsNotStartedAgain() throws Exception {
    Coordinator first = coordinator();
    first.order("n1");
    first.awaitGranted("n1");
    first.close();
    place.fail("n1");
    Coordinator next = coordinator(held("n1", null));
    assertThat(next.awaitGone("n1").cause()).isEqualTo(News.Cause.FAILED);
    assertThat(place.machines("n1")).isZero();
  }

  @Test
  void aHeldOrderThatWasNeverSentIsSent() throws Exception {
    Coordinator next = coordinator(held("n1", null));
    next.awaitGranted("n1");
    assertThat(place.machines("n1")).isEqualTo(1);
  }

  @Test
  void aHeldNodeCanBeEnded() throws Exception {
    Coordinator first = coordinator();
    first.order("n1");
    String handle = first.awaitGranted("n1");
    first.close();
    Coordinator next = coordinator(held("n1", handle));
    next.end("n1");
    assertThat(next.awaitGone("n1").cause()).isEqualTo(News.Cause.ENDED);
    assertThat(place.machines("n1")).isZero();
  }

  @Test
  void aHeldNodeThatEndsByItselfLaterIsReported() throws Exception {
    Coordinator first = coordinator();
    first.order("n1");
    String handle = first.awaitGranted("n1");
    first.close();
    Coordinator next = coordinator(held("n1", handle));
    next.awaitGranted("n1");
    place.fail("n1");
    assertThat(next.awaitGone("n1").cause()).isEqualTo(News.Cause.FAILED);
  }

  @ParameterizedTest
  @EnumSource
  void aCoordinatorKilledBetweenOrderAndRecordLeavesOneMachineToTheNext(OrderPoint point)
      throws Exception {
    killedAt(point);
    Coordinator next = coordinator(held("n1", null));
    next.awaitGranted("n1");
    place.pause();
    assertThat(place.machines("n1")).isEqualTo(1);
    next.end("n1");
    next.awaitGone("n1");
    place.pause();
    assertThat(place.machines("n1")).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aRunThatIsStoppedAfterItsCoordinatorWasKilledLeavesNothing(OrderPoint point)
      throws Exception {
    killedAt(point);
    Coordinator next = coordinator();
    next.end("n1");
    next.awaitGone("n1");
    place.pause();
    assertThat(place.machines("n1")).isZero();
  }

  private void killedAt(OrderPoint fatal) throws Exception {
    boolean[] killed = {false};
    Coordinator first =
        new Coordinator(
            (point, node) -> {
              if (point == fatal) {
                killed[0] = true;
                throw new Killed(point);
              }
            });
    try {
      first.order("n1");
      place.await(() -> killed[0]);
    } catch (Killed e) {
      // As it should be.
    }
    assertThat(killed[0]).isTrue();
    assertThat(first.granted("n1")).isEmpty();
    first.close();
  }
}
