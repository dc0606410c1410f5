package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.agent.AgentMain;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.places.Cloud;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.notice.NoticeReaders;
import io.deepvm.places.testing.FakeMetadata;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notices that the machines of nodes get themselves, with real agents. */
class NoticeIT {

  private static final int ROUNDS = 3;

  @TempDir private Path folder;

  /** Returns a place whose agents get more variables. */
  private static Scene.Ground with(Map<String, String> more, Scene.Ground ground) {
    return (pools, timers, clock) -> {
      Cloud inner = ground.make(pools, timers, clock);
      return (Cloud)
          Proxy.newProxyInstance(
              NoticeIT.class.getClassLoader(),
              new Class<?>[] {Cloud.class},
              (proxy, method, given) -> {
                Object[] args =
                    method.getName().equals("order")
                        ? new Object[] {more((Order) given[0], more)}
                        : given;
                try {
                  return method.invoke(inner, args);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    };
  }

  private static Order more(Order order, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(order.launch().environment());
    all.putAll(more);
    Launch launch = new Launch(order.launch().command(), all, order.launch().secrets());
    return new Order(order.token(), order.node(), order.pool(), order.market(), launch);
  }

  private static Predicate<Event> of(String node, NodeState to) {
    return e ->
        e instanceof Event.NodeTurned turned && turned.to() == to && turned.node().equals(node);
  }

  private static Predicate<Event> durable(String node) {
    return e ->
        e instanceof Event.Saved saved
            && saved.state().equals("DURABLE")
            && saved.node().equals(node);
  }

  @Test
  void theMetadataServiceWarnsNodesAndSparesThemAndTheNewestStateIsSaved() throws Exception {
    Scene scene = new Scene();
    Work work = Scene.member(folder, 1_000_000, 20, "parts");
    try (FakeMetadata metadata =
        new FakeMetadata(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      Scene.Ground ground =
          with(Map.of(NoticeReaders.VARIABLE, "gcp=" + metadata.uri()), Scene.local(4));
      try (Run run =
          Run.start(folder.resolve("run"), Scene.spec("md", work), scene.keeping(2, ground))) {
        int trains = scene.await(scene.await(0, Scene.generationOf(2)), Scene.pastStep(5));
        metadata.gcp();
        int first = scene.await(trains, of("n1", NodeState.NOTICED));
        int second = scene.await(trains, of("n2", NodeState.NOTICED));
        scene.await(first, durable("n1"));
        scene.await(second, durable("n2"));
        metadata.clear();
        scene.await(first, of("n1", NodeState.TRAINING));
        scene.await(second, of("n2", NodeState.TRAINING));
        run.stop("enough");
        run.await(Scene.PATIENCE);
      }
    }
    Scene.awaitNothingLeft(folder.resolve("run"));
  }

  @Test
  void aNodeThatIsAskedToEndSavesItsNewestStateBeforeItGoesEachTime() throws Exception {
    Scene scene = new Scene();
    Work work = Scene.member(folder, 1_000_000, 20, "parts");
    Scene.Ground ground = with(Map.of(AgentMain.TERM_SECONDS, "6"), Scene.local(8));
    int saved = 0;
    try (Run run =
        Run.start(folder.resolve("run"), Scene.spec("term", work), scene.keeping(2, ground))) {
      int from = 0;
      for (int round = 1; round <= ROUNDS; round++) {
        int formed = scene.await(from, Scene.generationOf(2));
        String node = "n" + round;
        // A node that has not joined yet has nothing to save.
        scene.await(formed, of(node, NodeState.TRAINING));
        int trains = scene.await(formed, Scene.pastStep(0));
        long asked = Instant.now().toEpochMilli();
        scene.agent(node).destroy();
        int noticed = scene.await(trains, of(node, NodeState.NOTICED));
        from = scene.await(noticed, of(node, NodeState.LOST));
        saved +=
            (int)
                scene.events().subList(noticed, from).stream()
                    .filter(logged -> durable(node).test(logged.event()))
                    .count();
        assertThat(Instant.now().toEpochMilli() - asked).isGreaterThan(5_500);
      }
      run.stop("enough");
      run.await(Scene.PATIENCE);
    }
    System.out.printf("The newest state was saved before the end in %d of %d.%n", saved, ROUNDS);
    assertThat(saved).isEqualTo(ROUNDS);
    assertThat(List.of(Scene.left(folder.resolve("run")))).containsExactly(List.of());
  }
}
