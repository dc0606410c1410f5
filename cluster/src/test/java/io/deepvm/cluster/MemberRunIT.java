package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberRunIT {

  @TempDir Path folder;

  @Test
  void survivorsGoOnAndAReplacementJoinsUntilTheWorkIsDone() throws Exception {
    Scene scene = new Scene();
    Path home = folder.resolve("run");
    RunSpec spec = Scene.spec("survivors", Scene.member(folder, 400, 20, "needs", "4"));
    RunStatus end;
    try (Run run = Run.start(home, spec, scene.keeping(4, Scene.local(5)))) {
      int trained = scene.await(0, Scene.run(RunPhase.TRAINING));
      int formed = scene.await(0, Scene.generationOf(4));
      assertThat(formed).isLessThan(trained);
      int going = scene.await(trained, Scene.pastStep(20));

      long killed = System.currentTimeMillis();
      scene.agent("n2").destroyForcibly();

      int three = scene.await(going, Scene.generationOf(3));
      Event.Generation survivors = (Event.Generation) scene.events().get(three).event();
      assertThat(survivors.members()).containsExactly("n1", "n3", "n4");
      int recovered = scene.await(three, Scene.run(RunPhase.TRAINING));
      System.out.printf(
          "All survivors had formed %d ms after the kill.%n",
          scene.events().get(recovered).atMs() - killed);
      int four = scene.await(recovered, Scene.generationOf(4));
      Event.Generation whole = (Event.Generation) scene.events().get(four).event();
      assertThat(whole.members()).containsExactly("n1", "n3", "n4", "n5");
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
    assertThat(end.step()).isEqualTo(400);
    assertThat(end.samples()).isEqualTo(400 * 64);
    assertThat(end.safeStep()).isEqualTo(400);
    assertThat(end.revocations()).hasSize(1);
    assertThat(end.revocations().get(0).node()).isEqualTo("n2");
    assertThat(end.revocations().get(0).recoveredMs()).isBetween(0L, 60_000L);
    assertThat(end.cost().isPositive()).isTrue();
    assertThat(RunStatus.of(EventLog.read(home.resolve("events.jsonl")))).isEqualTo(end);
    assertThat(end.nodes()).extracting("state").doesNotContain(NodeState.TRAINING);
    Scene.awaitNothingLeft(home);
    assertThat(Files.getPosixFilePermissions(home.resolve("token")))
        .extracting(Enum::name)
        .containsExactlyInAnyOrder("OWNER_READ", "OWNER_WRITE");
  }
}
