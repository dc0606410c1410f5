package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.Crew.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChurnIT {

  private static final int KILLS = 20;
  private static final int BETWEEN = 6;
  private static final int STEPS = (KILLS + 1) * 2 * BETWEEN;
  private static final int TARGET = 64;

  @TempDir Path folder;

  private Path job(String name) throws Exception {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        strategy: averaging
        model: {kind: mlp, hidden: [64]}
        data: {kind: generated-images, samples: 1000, noise: 1.5}
        batch: {micro: 8, target: %d}
        work: {steps: %d}
        optimizer: {kind: adam, rate: 0.001}
        seed: 5
        checkpoint: {folder: saved, every: 10}
        """
            .formatted(name, TARGET, STEPS));
  }

  /** Kills whoever chance picks, at any moment of a step; the first survivor to notice tells. */
  @Test
  void twentyKillsChangeNothingButTheTime() throws Exception {
    double undisturbed;
    try (Crew crew = new Crew(job("calm"))) {
      Worker only = crew.start();
      crew.form(List.of(only));
      undisturbed = only.awaitFinished().loss();
    }
    Random random = new Random(11);
    Map<String, String> slow = Map.of("DEEPVM_SPEED", "0.004");
    try (Crew crew = new Crew(job("churn"))) {
      List<Worker> members = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        members.add(crew.start(Role.WORKER, slow));
      }
      long generation = crew.form(members);
      for (int kill = 1; kill <= KILLS; kill++) {
        Worker spare = crew.start(Role.WORKER, slow);
        members.get(0).awaitStep((long) kill * BETWEEN);
        spare.port();
        Worker victim = members.remove(random.nextInt(members.size()));
        victim.kill();
        if (random.nextBoolean()) {
          long now = generation;
          Report.Suspect suspect =
              members.get(0).await(Report.Suspect.class, said -> said.generation() == now);
          assertThat(suspect.node()).isEqualTo(victim.node);
        }
        members.add(random.nextInt(members.size() + 1), spare);
        generation = crew.form(members);
      }
      for (Worker member : members) {
        Report.Finished finished = member.awaitFinished();
        assertThat(finished.samples()).isEqualTo((long) STEPS * TARGET);
        assertThat(finished.loss())
            .isCloseTo(undisturbed, Offset.offset(Math.max(0.1 * undisturbed, 0.005)));
      }
    }
    Saved saved = Saved.newest(folder.resolve("saved"), "churn");
    assertThat(saved.metadata()).containsEntry("ledger", Saved.ledger((long) STEPS * TARGET));
  }
}
