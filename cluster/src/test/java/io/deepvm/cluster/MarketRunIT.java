package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.Revoked;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.market.SpotMarket;
import io.deepvm.places.local.LocalOptions;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.places.recorded.Strike;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.policy.Elastic;
import io.deepvm.simulator.policy.InPlace;
import io.deepvm.simulator.policy.SpotOnly;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarketRunIT {

  @TempDir Path folder;

  private Path home() {
    return folder.resolve("run");
  }

  @Test
  void theMarketTellsAndTakesNodesAndAPolicyRentsThemAgainWhenThereAreSome() throws Exception {
    Scene scene = new Scene();
    // Ticks of five seconds: three nodes for half a minute, then one for two ticks, then three.
    SpotMarket market =
        Scene.market("aws", 100, new int[] {3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3});
    RunSpec spec = Scene.spec("market", Scene.member(folder, 1_000_000, 20));
    Setting setting =
        scene.setting(Scene.local(9), market, 20, new SpotOnly(), new Revocations.OfMarket());
    RunStatus end;
    try (Run run = Run.start(home(), spec, setting)) {
      int three = scene.await(0, Scene.generationOf(3));
      int noticed = scene.await(three, Scene.node(NodeState.NOTICED));
      int taken = scene.await(noticed, e -> e instanceof Event.Taken);
      int one = scene.await(taken, Scene.generationOf(1));
      RunStatus few = run.status();
      assertThat(few.held()).hasSize(1);
      scene.await(one, Scene.generationOf(3));
      run.stop("seen enough");
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.revocations()).hasSize(2).allMatch(Revoked::noticed);
    assertThat(end.revocations()).extracting(Revoked::reason).allMatch(r -> r.contains("market"));
    assertThat(end.nodes()).hasSize(5);
    // Spot nodes at $1 an hour: what each lived, in the market's time.
    long lived = end.nodes().stream().mapToLong(n -> n.endedMs() - n.rentedMs()).sum();
    assertThat(end.cost().dollars()).isCloseTo(lived / 3.6e6, offset(1e-5));
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aWholePoolIsTakenAtOnceAndHeldBackForAWhile() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = Scene.spec("script", Scene.member(folder, 1_000_000, 20));
    Setting setting =
        scene.setting(
            Scene.local(9),
            Scene.steady(2),
            1,
            new InPlace(new int[] {2}, new int[] {0}),
            new Revocations.Script(List.of(new Strike(20, 0, Strike.ALL, 0, 4))));
    try (Run run = Run.start(home(), spec, setting)) {
      int two = scene.await(0, Scene.generationOf(2));
      int waiting = scene.await(two, Scene.run(RunPhase.WAITING));
      assertThat(run.status().held()).isEmpty();
      int rented = scene.await(waiting, e -> e instanceof Event.Rented);
      long heldBack =
          scene.events().get(rented).marketMs() - scene.events().get(waiting).marketMs();
      assertThat(heldBack).isGreaterThan(2_000);
      scene.await(rented, Scene.generationOf(2));
      assertThat(run.status().revocations()).hasSize(2);
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void nodesThatLiveShortLivesAreReplacedUntilTheWorkIsDone() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = RunSpec.of("hazard", Scene.member(folder, 700, 20));
    Setting setting =
        scene.setting(
            Scene.local(9),
            Scene.steady(3),
            1,
            new InPlace(new int[] {3}, new int[] {0}),
            new Revocations.Hazard(180, 0));
    RunStatus end;
    try (Run run = Run.start(home(), spec, setting)) {
      scene.await(0, e -> e instanceof Event.Taken);
      end = run.await(Scene.PATIENCE.multipliedBy(3));
    }
    assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
    assertThat(end.nodes()).hasSizeGreaterThan(3);
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aCommandLearnsOfTheNoticeByAFileAndTheSignalItAskedFor() throws Exception {
    Scene scene = new Scene();
    Work script =
        Scene.script(
            folder,
            0,
            "trap 'cp \"$DEEPVM_NOTICE_FILE\" \"$DEEPVM_CHECKPOINT/seen\"; exit 0' USR1;"
                + " while true; do sleep 0.05; done");
    Work signalled =
        new Work(
            script.command(),
            script.kind(),
            Map.of(),
            script.checkpoint(),
            0,
            "USR1",
            script.timeouts());
    Setting setting =
        scene.setting(
            Scene.local(9),
            Scene.steady(1),
            1,
            new InPlace(new int[] {1}, new int[] {0}),
            new Revocations.Script(List.of(new Strike(20, -1, 1, 8, 0))));
    try (Run run = Run.start(home(), Scene.spec("notice", signalled), setting)) {
      int noticed = scene.await(0, Scene.node(NodeState.NOTICED));
      int exited = scene.await(noticed, e -> e instanceof Event.Exited exit && exit.code() == 0);
      assertThat(Files.readString(folder.resolve("checkpoint/seen")))
          .contains("\"action\":\"terminate\"")
          .contains("\"leadSeconds\":8.0");
      // The work is not done, so another node goes on with it.
      int next = scene.await(exited, Scene.generationOf(1));
      scene.await(next, Scene.run(RunPhase.TRAINING));
      assertThat(run.status().held()).hasSize(1);
    }
    Scene.awaitNothingLeft(home());
  }

  /** Returns a setting that keeps three nodes and tells one of them long before it is taken. */
  private Setting noticing(Scene scene) {
    return scene.setting(
        Scene.local(9),
        Scene.steady(3),
        1,
        new InPlace(new int[] {3}, new int[] {0}),
        new Revocations.Script(List.of(new Strike(120, -1, 1, 100, 0))));
  }

  @Test
  void aScriptThatObeysANoticeAndEndsCostsNoRestart() throws Exception {
    Scene scene = new Scene();
    // Whoever is left in a generation that one has left fails, as a broken collective does.
    Work script =
        Scene.script(
            folder,
            0,
            "left=\"$DEEPVM_CHECKPOINT/left-$DEEPVM_GENERATION\"; while true; do"
                + " if [ -e \"$DEEPVM_NOTICE_FILE\" ]; then touch \"$left\"; exit 0; fi;"
                + " if [ -e \"$left\" ]; then exit 1; fi; sleep 0.05; done");
    try (Run run = Run.start(home(), Scene.spec("obeys", script), noticing(scene))) {
      int noticed = scene.await(0, Scene.node(NodeState.NOTICED));
      String told = ((Event.NodeTurned) scene.events().get(noticed).event()).node();
      int two = scene.await(noticed, Scene.generationOf(2));
      int whole = scene.await(two, Scene.generationOf(3));
      scene.await(whole, Scene.run(RunPhase.TRAINING));
      assertThat(run.status().members()).hasSize(3).doesNotContain(told);
      assertThat(run.status().restarts()).isZero();
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aMemberThatDiesAfterANoticeCostsNoRestart() throws Exception {
    Scene scene = new Scene();
    Work usual = Scene.member(folder, 1_000_000, 20);
    Work strict =
        new Work(
            usual.command(), usual.kind(), Map.of(), usual.checkpoint(), 0, "", usual.timeouts());
    try (Run run = Run.start(home(), Scene.spec("dies", strict), noticing(scene))) {
      int noticed = scene.await(0, Scene.node(NodeState.NOTICED));
      String told = ((Event.NodeTurned) scene.events().get(noticed).event()).node();
      scene.agent(told).children().forEach(ProcessHandle::destroyForcibly);
      int two = scene.await(noticed, Scene.generationOf(2));
      scene.await(two, Scene.run(RunPhase.TRAINING));
      assertThat(run.status().members()).hasSize(2).doesNotContain(told);
      assertThat(run.status().restarts()).isZero();
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void ourElasticPolicyRentsOnALiveRun() throws Exception {
    Scene scene = new Scene();
    SpotMarket market = Scene.market("local", 20, new int[] {1, 1, 1, 1}, new int[] {2, 2, 2, 2});
    RunSpec spec =
        Scene.spec("elastic", Scene.member(folder, 200, 20)).withSamplesPerUnit(200 * 64 / 1e6);
    Setting setting =
        scene.setting(Scene.local(9), market, 1, new Elastic(), new Revocations.OfMarket());
    RunStatus end;
    try (Run run = Run.start(home(), spec, setting)) {
      end = run.await(Scene.PATIENCE.multipliedBy(2));
    }
    assertThat(end.state()).as(scene::told).isEqualTo(RunPhase.FINISHED);
    assertThat(end.nodes()).isNotEmpty();
  }

  @Test
  void aNodeBootsAsLongAsItIsToldAndCanBeTakenMeanwhile() throws Exception {
    Scene scene = new Scene();
    Scene.Ground slow = Scene.local(new LocalOptions(9, 6, 0, Map.of("local", 0.5), null));
    Setting setting =
        scene.setting(
            slow,
            Scene.steady(1),
            1,
            new InPlace(new int[] {1}, new int[] {0}),
            new Revocations.Script(List.of(new Strike(2, 0, 1, 0, 0))));
    Work script = Scene.script(folder, 0, "echo $DEEPVM_SPEED > $DEEPVM_CHECKPOINT/speed");
    RunStatus end;
    try (Run run = Run.start(home(), Scene.spec("boot", script), setting)) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).as(scene::told).isEqualTo(RunPhase.FINISHED);
    assertThat(end.nodes())
        .extracting(NodeStatus::state)
        .containsExactly(NodeState.LOST, NodeState.RELEASED);
    int ready = scene.await(0, Scene.node(NodeState.READY));
    assertThat(scene.events().get(ready).marketMs()).isGreaterThan(8_000);
    assertThat(Files.readString(folder.resolve("checkpoint/speed"))).isEqualTo("0.5\n");
    Scene.awaitNothingLeft(home());
  }

  @Test
  void whatTheScriptTellsTheMarketDoesNotTakeBack() throws Exception {
    Scene scene = new Scene();
    Setting setting =
        scene.setting(
            Scene.local(9),
            Scene.market("local", 2, new int[] {1, 1}),
            1,
            new InPlace(new int[] {1}, new int[] {0}),
            new Revocations.Script(List.of(new Strike(12, 0, 1, 8, 0))));
    RunSpec spec = Scene.spec("told", Scene.member(folder, 1_000_000, 20));
    try (Run run = Run.start(home(), spec, setting)) {
      int noticed = scene.await(0, Scene.node(NodeState.NOTICED));
      int next = scene.await(noticed + 1, e -> e instanceof Event.NodeTurned t && isFirst(t));
      assertThat(((Event.NodeTurned) scene.events().get(next).event()).to())
          .as(scene::told)
          .isEqualTo(NodeState.LOST);
      assertThat(run.status().state().isEnd()).isFalse();
    }
  }

  private static boolean isFirst(Event.NodeTurned turned) {
    return turned.node().equals("n1");
  }

  @Test
  void aNoticeThatTheMarketTakesBackLeavesNoFile() throws Exception {
    Scene scene = new Scene();
    // Ticks of ten seconds; one of two nodes will be taken after the fourth.
    SpotMarket market = Scene.market("aws", 100, new int[] {2, 2, 2, 2, 1, 1});
    Policy once =
        (cluster, tick) -> {
          if (tick && cluster.now() < 100) {
            cluster.rent(0, Market.SPOT, 2);
          }
        };
    Setting setting = scene.setting(Scene.local(9), market, 10, once, new Revocations.OfMarket());
    RunSpec spec = Scene.spec("spared", Scene.member(folder, 1_000_000, 20));
    try (Run run = Run.start(home(), spec, setting)) {
      int noticed = scene.await(0, Scene.node(NodeState.NOTICED));
      String told = ((Event.NodeTurned) scene.events().get(noticed).event()).node();
      Path file = home().resolve("nodes").resolve(told).resolve("notice.json");
      awaitFile(file, true);
      scene.agent(told.equals("n1") ? "n2" : "n1").destroyForcibly();
      scene.await(
          noticed + 1,
          e ->
              e instanceof Event.NodeTurned turned
                  && turned.node().equals(told)
                  && turned.to() != NodeState.LOST);
      awaitFile(file, false);
      assertThat(run.status().held()).hasSize(1);
    }
  }

  private static void awaitFile(Path file, boolean there) throws Exception {
    long until = System.nanoTime() + Scene.PATIENCE.toNanos();
    while (Files.exists(file) != there) {
      assertThat(System.nanoTime()).as("time for " + file).isLessThan(until);
      Thread.sleep(20);
    }
  }
}
