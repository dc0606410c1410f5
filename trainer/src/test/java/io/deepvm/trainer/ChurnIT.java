package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Order;
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

  private static final int KILLS = 8;
  private static final int AFTERWARDS = 30;
  private static final int TARGET = 64;

  @TempDir Path folder;

  private Path job(String name, long steps, String exchange) throws Exception {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        strategy: averaging
        model: {kind: mlp, hidden: [32]}
        data: {kind: generated-images, samples: 100000, noise: 5}
        batch: {micro: 8, target: %d}
        work: {steps: %d}
        optimizer: {kind: adam, rate: 0.0001}
        seed: 5
        checkpoint: {folder: saved, every: 20}
        exchange: %s
        """
            .formatted(name, TARGET, steps, exchange));
  }

  /** Returns the mean loss of the last steps up to this one. */
  private static double loss(Worker worker, long last) {
    return worker.steps().stream()
        .filter(step -> step.step() > last - AFTERWARDS && step.step() <= last)
        .mapToDouble(Report.Step::loss)
        .average()
        .orElseThrow();
  }

  @Test
  void killsChangeNothingButTheTime() throws Exception {
    churn("churn", "{}", 3);
  }

  @Test
  void soItIsWithPlacesAndOverlap() throws Exception {
    churn("places", "{topology: local-first, overlap: true}", 4);
  }

  /** Kills whoever chance picks, at any moment of a step; sometimes nobody waits for the word. */
  private void churn(String name, String exchange, int size) throws Exception {
    Random random = new Random(11);
    Map<String, String> slow = Map.of("DEEPVM_SPEED", "0.2");
    double disturbed;
    long last;
    try (Crew crew = new Crew(job(name, 1_000_000, exchange))) {
      List<Worker> members = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        members.add(crew.start(Role.WORKER, slow));
        members.get(i).place = i % 2 == 0 ? "here" : "there";
      }
      long generation = crew.form(members);
      for (int kill = 1; kill <= KILLS; kill++) {
        Worker spare = crew.start(Role.WORKER, slow);
        spare.place = random.nextBoolean() ? "here" : "there";
        for (Worker member : members) {
          long formed = member.awaitFormed(generation).step();
          member.awaitStep(formed + 1 + random.nextInt(3));
        }
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
      Worker first = members.get(0);
      last = first.awaitFormed(generation).step() + AFTERWARDS;
      first.awaitStep(last);
      disturbed = loss(first, last);
      first.tell(new Order.Stop("enough"));
      assertThat(first.awaitExit()).isZero();
    }
    Map<String, String> saved = Saved.newest(folder.resolve("saved"), name).metadata();
    long samples = Long.parseLong(String.valueOf(saved.get("samples")));
    assertThat(samples).isGreaterThanOrEqualTo(last * TARGET);
    assertThat(saved).containsEntry("ledger", Saved.ledger(samples));
    try (Crew crew = new Crew(job("calm-" + name, last, exchange))) {
      Worker only = crew.start();
      crew.form(List.of(only));
      only.awaitFinished();
      double calm = loss(only, last);
      System.err.printf(
          "After %d steps and %d kills the loss is %.4f, undisturbed %.4f.%n",
          last, KILLS, disturbed, calm);
      assertThat(disturbed).isCloseTo(calm, Offset.offset(calm * 0.05));
    }
  }
}
