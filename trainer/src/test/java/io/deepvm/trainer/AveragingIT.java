package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Report.Origin;
import io.deepvm.trainer.Crew.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AveragingIT {

  private static final int TARGET = 64;

  @TempDir Path folder;

  private Path job(String name, int steps, String every) throws Exception {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        strategy: averaging
        model: {kind: mlp, hidden: [64]}
        data: {kind: generated-images, samples: 1000, noise: 1.5}
        batch: {micro: 8, target: %d}
        work: {steps: %d}
        optimizer: {kind: sgd, rate: 0.02, momentum: 0.9}
        seed: 5
        checkpoint: {folder: saved, every: %s}
        """
            .formatted(name, TARGET, steps, every));
  }

  private Saved saved(String name) throws Exception {
    return Saved.newest(folder.resolve("saved"), name);
  }

  /** Trains undisturbed with one member and returns the loss of the last step. */
  private double undisturbed(String name, int steps) throws Exception {
    try (Crew crew = new Crew(job(name, steps, "1000"))) {
      Worker only = crew.start();
      crew.form(List.of(only));
      double loss = only.awaitFinished().loss();
      assertThat(only.awaitExit()).isZero();
      return loss;
    }
  }

  @Test
  void anyNumberOfMembersTrainOnTheSameSamples() throws Exception {
    double alone = undisturbed("alone", 30);
    try (Crew crew = new Crew(job("four", 30, "1000"))) {
      List<Worker> workers = crew.start(4);
      crew.form(workers);
      for (Worker worker : workers) {
        Report.Finished finished = worker.awaitFinished();
        assertThat(finished.samples()).isEqualTo(30 * TARGET);
        assertThat(finished.loss()).isCloseTo(alone, Offset.offset(alone * 0.02));
        assertThat(worker.awaitExit()).isZero();
      }
    }
    assertThat(saved("four").metadata()).containsEntry("ledger", Saved.ledger(30 * TARGET));
    assertThat(saved("alone").metadata()).containsEntry("ledger", Saved.ledger(30 * TARGET));
  }

  @Test
  void theTimeOfAStepIsToldByItsParts() throws Exception {
    try (Crew crew = new Crew(job("parts", 20, "1"))) {
      List<Worker> workers = crew.start(2);
      long begin = System.nanoTime();
      crew.form(workers);
      for (Worker worker : workers) {
        worker.awaitFinished();
      }
      double whole = (System.nanoTime() - begin) / 1e9;
      for (Worker worker : workers) {
        List<Report.Step> steps = worker.steps();
        assertThat(steps).hasSize(20);
        assertThat(steps).allMatch(step -> step.communicationSeconds() > 0);
        assertThat(steps)
            .allMatch(step -> step.waitSeconds() >= 0 && step.checkpointSeconds() >= 0);
        assertThat(steps.stream().mapToDouble(Report.Step::computeSeconds).sum()).isPositive();
        double sum = 0;
        for (Report.Step step : steps) {
          sum +=
              step.computeSeconds()
                  + step.communicationSeconds()
                  + step.waitSeconds()
                  + step.checkpointSeconds();
        }
        assertThat(sum).isBetween(0.0, whole);
      }
      assertThat(workers.get(0).steps()).allMatch(step -> step.checkpointSeconds() > 0);
      assertThat(workers.get(1).steps()).allMatch(step -> step.checkpointSeconds() == 0);
    }
  }

  @Test
  void aKilledMemberIsSuspectedAndTheOthersLoseNothing() throws Exception {
    double alone = undisturbed("whole", 60);
    try (Crew crew = new Crew(job("killed", 60, "1000"))) {
      List<Worker> workers = crew.start(3);
      long first = crew.form(workers);
      workers.get(1).awaitStep(10);
      Worker victim = workers.get(0);
      victim.kill();
      Report.Suspect suspect =
          workers.get(1).await(Report.Suspect.class, said -> said.generation() == first);
      assertThat(suspect.node()).isEqualTo(victim.node);
      List<Worker> left = workers.subList(1, 3);
      long second = crew.form(left);
      for (Worker worker : left) {
        Report.Formed formed = worker.awaitFormed(second);
        assertThat(formed.from()).isEqualTo(Origin.KEPT);
        assertThat(formed.step()).isGreaterThanOrEqualTo(10);
        assertThat(worker.awaitFinished().loss())
            .isCloseTo(alone, Offset.offset(Math.max(alone * 0.2, 0.01)));
      }
    }
    assertThat(saved("killed").metadata()).containsEntry("ledger", Saved.ledger(60 * TARGET));
  }

  @Test
  void aJoinerGetsItsStateFromAPeer() throws Exception {
    try (Crew crew = new Crew(job("joined", 80, "1000"))) {
      List<Worker> workers = new ArrayList<>(crew.start(2));
      crew.form(workers);
      Worker joiner = crew.start();
      workers.get(0).awaitStep(5);
      workers.add(joiner);
      long second = crew.form(workers);
      Report.Formed formed = joiner.awaitFormed(second);
      assertThat(formed.from()).isEqualTo(Origin.PEER);
      assertThat(formed.step()).isGreaterThanOrEqualTo(5);
      assertThat(workers.get(0).awaitFormed(second).from()).isEqualTo(Origin.KEPT);
      double loss = workers.get(0).awaitFinished().loss();
      assertThat(joiner.awaitFinished().loss()).isEqualTo(loss);
    }
    assertThat(saved("joined").metadata()).containsEntry("ledger", Saved.ledger(80 * TARGET));
  }

  /** As if the member that is gone had saved later steps which the others never heard of. */
  @Test
  void membersThatAreBehindTheNewestCheckpointGoOnFromThere() throws Exception {
    Path job = job("behind", 400, "1000000");
    try (Crew crew = new Crew(job);
        Crew ahead = new Crew(job)) {
      List<Worker> workers = crew.start(3);
      crew.form(workers);
      workers.get(1).awaitStep(3);
      workers.get(0).kill();
      List<Worker> left = workers.subList(1, 3);
      left.get(0).await(Report.Suspect.class, said -> true);
      Worker other = ahead.start();
      ahead.form(List.of(other));
      other.awaitStep(100);
      other.tell(new Order.Notice(30));
      long saved = other.await(Report.Saved.class, said -> said.state().equals("DURABLE")).step();
      other.kill();

      long second = crew.form(left);
      for (Worker worker : left) {
        assertThat(worker.awaitFormed(second).step()).isEqualTo(saved);
      }
      assertThat(left.get(0).awaitFormed(second).from()).isEqualTo(Origin.CHECKPOINT);
      assertThat(left.get(1).awaitFormed(second).from()).isEqualTo(Origin.PEER);
    }
  }

  @Test
  void aRunCutShortAndResumedEndsWithTheSameBits() throws Exception {
    undisturbed("straight", 40);
    Path job = job("cut", 40, "5");
    try (Crew crew = new Crew(job)) {
      Worker first = crew.start();
      crew.form(List.of(first));
      first.await(Report.Saved.class, said -> said.step() >= 15 && said.state().equals("DURABLE"));
      first.kill();
    }
    try (Crew crew = new Crew(job)) {
      Worker second = crew.start();
      long generation = crew.form(List.of(second));
      Report.Formed formed = second.awaitFormed(generation);
      assertThat(formed.from()).isEqualTo(Origin.CHECKPOINT);
      assertThat(formed.step()).isGreaterThanOrEqualTo(15);
      second.awaitFinished();
      assertThat(second.awaitExit()).isZero();
    }
    Saved straight = saved("straight");
    Saved resumed = saved("cut");
    assertThat(resumed.step()).isEqualTo(straight.step()).isEqualTo(40);
    assertThat(resumed.metadata()).isEqualTo(straight.metadata());
    assertThat(resumed.tensors()).isEqualTo(straight.tensors());
  }

  @Test
  void aNoticeSavesTheNewestStateAndAStopEndsInOrder() throws Exception {
    try (Crew crew = new Crew(job("noticed", 100_000, "1000000"))) {
      Worker only = crew.start();
      crew.form(List.of(only));
      only.awaitStep(3);
      only.tell(new Order.Notice(30));
      long noticed = only.await(Report.Saved.class, said -> said.state().equals("DURABLE")).step();
      assertThat(noticed).isGreaterThanOrEqualTo(3);
      only.tell(new Order.Stop("enough"));
      assertThat(only.awaitExit()).isZero();
      assertThat(saved("noticed").step()).isGreaterThanOrEqualTo(noticed);
    }
  }

  private Path variant(String name, String exchange) throws Exception {
    Path file = job(name, 40, "1000");
    return Files.writeString(
        file,
        Files.readString(file).replace("momentum: 0.9", "momentum: 0").replace("0.02", "0.1")
            + exchange);
  }

  private double lossOfThree(Path job) throws Exception {
    return loss(job, 3);
  }

  private double loss(Path job, int members) throws Exception {
    try (Crew crew = new Crew(job)) {
      List<Worker> workers = crew.start(members);
      crew.form(workers);
      double loss = workers.get(0).awaitFinished().loss();
      for (Worker worker : workers) {
        assertThat(worker.awaitFinished().loss()).isEqualTo(loss);
      }
      return loss;
    }
  }

  @Test
  void halvesOnTheWireLearnAsWell() throws Exception {
    double floats = lossOfThree(variant("floats", ""));
    double halves = lossOfThree(variant("halves", "exchange: {wire: fp16}\n"));
    assertThat(halves).isCloseTo(floats, Offset.offset(floats * 0.1));
    for (String name : List.of("floats", "halves")) {
      assertThat(saved(name).metadata()).containsEntry("ledger", Saved.ledger(40 * TARGET));
    }
  }

  @Test
  void averagedParametersGoAsFarHoweverManyShareThem() throws Exception {
    double alone = loss(careful("one", "average: parameters"), 1);
    double three = lossOfThree(careful("three", "average: parameters"));
    assertThat(three).isCloseTo(alone, Offset.offset(alone * 0.1));
    // What so short steps have changed is far below what a half without a scale can tell.
    double halves = lossOfThree(careful("halves", "average: parameters, wire: fp16"));
    assertThat(halves).isCloseTo(three, Offset.offset(three * 0.1));
    // Steps of its own are more steps, so it is ahead.
    assertThat(three).isLessThan(lossOfThree(careful("gradients", "average: gradients")) / 2);
    for (String name : List.of("one", "three", "halves", "gradients")) {
      assertThat(saved(name).metadata()).containsEntry("ledger", Saved.ledger(40 * TARGET));
    }
  }

  /** Steps so short that only the first order counts. */
  private Path careful(String name, String exchange) throws Exception {
    Path file = variant(name, "exchange: {%s}\n".formatted(exchange));
    return Files.writeString(file, Files.readString(file).replace("rate: 0.1", "rate: 0.001"));
  }

  private Path withExchange(String name, int steps, String exchange) throws Exception {
    Path file = job(name, steps, "1000");
    return Files.writeString(file, Files.readString(file) + "exchange: " + exchange + "\n");
  }

  /** Trains with members at these places and returns the losses, which all report alike. */
  private List<Double> losses(Path job, String... places) throws Exception {
    try (Crew crew = new Crew(job)) {
      List<Worker> workers = crew.start(places.length);
      for (int i = 0; i < places.length; i++) {
        workers.get(i).place = places[i];
      }
      crew.form(workers);
      double last = workers.get(0).awaitFinished().loss();
      for (Worker worker : workers) {
        assertThat(worker.awaitFinished().loss()).isEqualTo(last);
        assertThat(worker.awaitExit()).isZero();
      }
      return workers.get(0).steps().stream().map(Report.Step::loss).toList();
    }
  }

  @Test
  void summingWithinPlacesFirstTrainsAsAFullMeshDoes() throws Exception {
    List<Double> mesh = losses(withExchange("mesh", 30, "{}"), "a", "b", "a");
    List<Double> local =
        losses(withExchange("local", 30, "{topology: local-first}"), "a", "b", "a");
    for (int step = 0; step < 30; step++) {
      assertThat(local.get(step)).isCloseTo(mesh.get(step), Offset.offset(1e-3));
    }
    assertThat(saved("local").metadata()).containsEntry("ledger", Saved.ledger(30 * TARGET));
  }

  @Test
  void anUpdateUnderWayWhileTheNextStepIsComputedLearnsAsWell() throws Exception {
    List<Double> inTurn = losses(withExchange("in-turn", 60, "{}"), "a", "a");
    List<Double> overlapped = losses(withExchange("overlapped", 60, "{overlap: true}"), "a", "a");
    // The second step is computed before the first update, so it has the first parameters.
    assertThat(overlapped.get(0)).isCloseTo(inTurn.get(0), Offset.offset(1e-4));
    assertThat(overlapped.get(1)).isGreaterThan(inTurn.get(1));
    assertThat(overlapped.get(59)).isLessThan(overlapped.get(0) / 4);
    assertThat(saved("overlapped").metadata()).containsEntry("ledger", Saved.ledger(60 * TARGET));
  }

  @Test
  void aMemberEndsWithItsAgent() throws Exception {
    try (Crew crew = new Crew(job("orphan", 100_000, "1000000"))) {
      Worker only = crew.start();
      crew.form(List.of(only));
      only.awaitStep(1);
      only.orphan();
      assertThat(only.awaitExit()).isZero();
    }
  }
}
