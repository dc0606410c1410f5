package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Report.Origin;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.Crew.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParameterServerIT {

  private static final int MICRO = 8;
  private static final int PER_STEP = 2;

  @TempDir Path folder;

  private Path job(String name, long steps, String every, int staleness) throws Exception {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        strategy: parameter-server
        model: {kind: mlp, hidden: [32]}
        data: {kind: generated-images, samples: 500, noise: 1.0}
        batch: {micro: %d, target: %d}
        work: {steps: %d}
        optimizer: {kind: sgd, rate: 0.01, momentum: 0.5}
        seed: 5
        staleness: %d
        checkpoint: {folder: saved, every: %s}
        """
            .formatted(name, MICRO, MICRO * PER_STEP, steps, staleness, every));
  }

  private Saved saved(String name) throws Exception {
    return Saved.newest(folder.resolve("saved"), name);
  }

  private static double firstLoss(Worker worker) {
    return worker.steps().get(0).loss();
  }

  @Test
  void workersOfAnySpeedTrainAndADeadOnesLeaseIsTrainedByAnother() throws Exception {
    long steps = 100;
    try (Crew crew = new Crew(job("leases", steps, "1000000", -1))) {
      Worker one = crew.start(Role.SERVER, Map.of());
      Worker two = crew.start(Role.SERVER, Map.of());
      Worker fast = crew.start();
      Worker slow = crew.start(Role.WORKER, Map.of("DEEPVM_SPEED", "0.2"));
      Worker victim = crew.start();
      long first = crew.form(List.of(one, fast, two, slow, victim));
      victim.awaitStep(20);
      victim.kill();
      Report.Suspect suspect = one.await(Report.Suspect.class, said -> true);
      assertThat(suspect.node()).isEqualTo(victim.node);
      assertThat(suspect.generation()).isEqualTo(first);
      long second = crew.form(List.of(one, fast, two, slow));
      assertThat(one.awaitFormed(second).from()).isEqualTo(Origin.KEPT);
      assertThat(two.awaitFormed(second).from()).isEqualTo(Origin.KEPT);
      for (Worker worker : List.of(one, two, fast, slow)) {
        Report.Finished finished = worker.awaitFinished();
        assertThat(finished.samples()).isEqualTo(steps * PER_STEP * MICRO);
        assertThat(finished.loss()).isLessThan(firstLoss(fast) / 2);
        assertThat(worker.awaitExit()).isZero();
      }
      assertThat(fast.steps()).hasSizeGreaterThan(slow.steps().size());
    }
    assertThat(saved("leases").metadata())
        .containsEntry("ledger", Saved.ledger(steps * PER_STEP * MICRO));
  }

  @Test
  void withTheLossOfAServerAllGoOnFromTheCheckpoint() throws Exception {
    long steps = 60;
    try (Crew crew = new Crew(job("lost", steps, "20", -1))) {
      Worker one = crew.start(Role.SERVER, Map.of());
      Worker two = crew.start(Role.SERVER, Map.of());
      Worker spare = crew.start(Role.SERVER, Map.of());
      Worker worker = crew.start();
      crew.form(List.of(one, two, worker));
      one.await(Report.Saved.class, said -> said.step() >= 40 && said.state().equals("DURABLE"));
      one.kill();
      long second = crew.form(List.of(spare, two, worker));
      Report.Formed formed = spare.awaitFormed(second);
      assertThat(formed.from()).isEqualTo(Origin.CHECKPOINT);
      assertThat(formed.step()).isGreaterThanOrEqualTo(40);
      assertThat(two.awaitFormed(second).from()).isEqualTo(Origin.PEER);
      assertThat(worker.awaitFinished().samples()).isEqualTo(steps * PER_STEP * MICRO);
      assertThat(spare.awaitFinished().loss()).isLessThan(firstLoss(worker) / 2);
    }
    assertThat(saved("lost").metadata())
        .containsEntry("ledger", Saved.ledger(steps * PER_STEP * MICRO));
  }

  @Test
  void noGradientIsStalerThanAllowed() throws Exception {
    long steps = 30;
    try (Crew crew = new Crew(job("bounded", steps, "1000000", 1))) {
      Worker server = crew.start(Role.SERVER, Map.of());
      List<Worker> workers = crew.start(3);
      crew.form(List.of(server, workers.get(0), workers.get(1), workers.get(2)));
      server.awaitFinished();
    }
    Map<String, String> metadata = saved("bounded").metadata();
    assertThat(Integer.parseInt(String.valueOf(metadata.get("staleness.most")))).isBetween(0, 1);
    assertThat(metadata).containsEntry("ledger", Saved.ledger(steps * PER_STEP * MICRO));
  }

  @Test
  void aServerThatIsRefusedTellsTheAgentThoughTheOtherIsThere() throws Exception {
    try (Crew crew = new Crew(job("refused", 60, "1000000", -1))) {
      Worker ahead = crew.start(Role.SERVER, Map.of());
      Worker behind = crew.start(Role.SERVER, Map.of());
      crew.form(List.of(ahead));
      ahead.awaitFormed(crew.form(List.of(ahead)));
      behind.tell(
          new Order.Form(
              1,
              1,
              List.of(
                  new Member(ahead.node, Role.SERVER, "127.0.0.1", ahead.port(), ""),
                  new Member(behind.node, Role.SERVER, "127.0.0.1", behind.port(), ""))));
      Report.Suspect suspect = behind.await(Report.Suspect.class, said -> said.generation() == 1);
      assertThat(suspect.node()).isEqualTo(ahead.node);
      assertThat(suspect.reason()).contains("Generation 1 is over.");
    }
  }

  @Test
  void theTimeThatSavingTakesIsRecorded() throws Exception {
    try (Crew crew = new Crew(job("timed", 20, "5", -1))) {
      Worker server = crew.start(Role.SERVER, Map.of());
      Worker worker = crew.start();
      crew.form(List.of(server, worker));
      worker.awaitFinished();
      assertThat(worker.steps()).anyMatch(step -> step.checkpointSeconds() > 0);
      assertThat(worker.steps()).allMatch(step -> step.waitSeconds() >= 0);
    }
  }
}
