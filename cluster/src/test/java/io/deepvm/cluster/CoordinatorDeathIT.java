package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Coordinators that die between a request to the cloud and its record leave nothing behind. */
class CoordinatorDeathIT {

  @TempDir Path folder;

  private Path events() {
    return folder.resolve("run/events.jsonl");
  }

  @ParameterizedTest
  @EnumSource
  void aCoordinatorThatDiesBetweenRequestAndRecordLeavesNoProcessBehind(DyingCloud.Point point)
      throws Exception {
    Process coordinator = CoordinatorProcess.start(folder, 100_000, 2, point);
    try {
      if (point.needsLoss()) {
        freeze(trainingNode());
      }
      assertThat(coordinator.waitFor(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(coordinator.exitValue()).isEqualTo(DyingCloud.DIED);
    } finally {
      coordinator.destroyForcibly();
    }

    RunStatus end = Runs.stop(folder.resolve("run"), "enough", Duration.ofSeconds(60));

    assertThat(end.state()).isEqualTo(RunPhase.STOPPED);
    assertThat(end.nodes()).isNotEmpty();
    assertThat(Runs.unconfirmed(folder.resolve("run"))).isEmpty();
    Scene.awaitNothingLeft(folder.resolve("run"));
  }

  /** Returns the process of a node once the run trains. */
  private long trainingNode() throws Exception {
    long until = System.nanoTime() + Scene.PATIENCE.toNanos();
    while (System.nanoTime() < until) {
      if (Files.exists(events())) {
        RunStatus status = RunStatus.of(EventLog.read(events()));
        if (status.state() == RunPhase.TRAINING && status.step() > 3) {
          NodeStatus node = status.nodes().get(0);
          return Long.parseLong(node.handle().substring(0, node.handle().indexOf('@')));
        }
      }
      Thread.sleep(20);
    }
    throw new AssertionError("The run does not train.");
  }

  /** An agent that says nothing any more counts as lost, and its cloud has to end it. */
  private static void freeze(long agent) throws Exception {
    Process kill = new ProcessBuilder("kill", "-STOP", Long.toString(agent)).start();
    assertThat(kill.waitFor()).isZero();
  }
}
