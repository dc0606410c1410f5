package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.member.Role;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResumeIT {

  @TempDir Path folder;

  private Path home() {
    return folder.resolve("run");
  }

  private RunStatus awaitStatus(Predicate<RunStatus> which) throws Exception {
    long until = System.nanoTime() + Scene.PATIENCE.toNanos();
    while (System.nanoTime() < until) {
      if (Files.exists(home().resolve("events.jsonl"))) {
        RunStatus status = RunStatus.of(EventLog.read(home().resolve("events.jsonl")));
        if (which.test(status)) {
          return status;
        }
      }
      Thread.sleep(20);
    }
    throw new AssertionError(
        "It did not come to that:\n" + Files.readString(home().resolve("events.jsonl")));
  }

  @Test
  void aKilledCoordinatorsSuccessorTakesOverTheSameProcesses() throws Exception {
    Process first = CoordinatorProcess.start(folder, 900, 3);
    try {
      RunStatus before =
          awaitStatus(
              s ->
                  s.state() == RunPhase.TRAINING
                      && s.members().size() == 3
                      && s.step() > 10
                      && s.safeStep() > 0);
      List<String> handles = before.nodes().stream().map(NodeStatus::handle).toList();
      first.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      long saved = Long.parseLong(Files.readString(folder.resolve("checkpoint/step")));

      Process second = CoordinatorProcess.start(folder, 900, 3);
      RunStatus after = awaitStatus(s -> s.step() > saved + 50);
      assertThat(after.generation())
          .as(Files.readString(home().resolve("events.jsonl")))
          .isEqualTo(before.generation());
      assertThat(after.nodes()).extracting(NodeStatus::handle).isEqualTo(handles);
      RunStatus end = awaitStatus(s -> s.state().isEnd());
      assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
      assertThat(end.step()).isEqualTo(900);
      assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
      List<Logged> events = EventLog.read(home().resolve("events.jsonl"));
      assertThat(events).extracting(Logged::event).hasAtLeastOneElementOfType(Event.Resumed.class);
      Scene.awaitNothingLeft(home());
    } finally {
      first.destroyForcibly();
      Runs.stop(home(), "cleaned up", Duration.ofSeconds(30));
    }
  }

  @Test
  void anInterruptedRunEndsItsNodesAndGoesOnWhenItIsResumed() throws Exception {
    Process first = CoordinatorProcess.start(folder, 100_000, 2);
    awaitStatus(s -> s.state() == RunPhase.TRAINING && s.members().size() == 2 && s.safeStep() > 0);
    first.destroy();
    assertThat(first.waitFor(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(Scene.left(home())).isEmpty();
    RunStatus left = Runs.status(home(), Clock.systemUTC());
    assertThat(left.state()).isEqualTo(RunPhase.INTERRUPTED);
    assertThat(left.held()).isEmpty();
    assertThat(left.lostNodes()).isZero();

    Scene scene = new Scene();
    try (Run run = Run.resume(home(), scene.keeping(2, Scene.local(3)))) {
      int resumed = scene.await(0, e -> e instanceof Event.Resumed);
      // Nothing is paid, and the market stood still meanwhile.
      assertThat(scene.events().get(resumed).marketMs()).isEqualTo(left.marketMs());
      int two = scene.await(resumed, Scene.generationOf(2));
      scene.await(two, Scene.pastStep(left.safeStep() + 20));
      assertThat(run.status().generation()).isGreaterThan(left.generation());
      run.stop("seen enough");
      assertThat(run.await(Scene.PATIENCE).state()).isEqualTo(RunPhase.STOPPED);
    }
    assertThatThrownBy(() -> Run.resume(home(), new Scene().keeping(1, Scene.local(1))))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("is over: STOPPED (seen enough)");
    Scene.awaitNothingLeft(home());
  }

  @Test
  void anInterruptionThatWasNotBroughtToItsEndIsAndTheRunGoesOn() throws Exception {
    killed();
    append(new Event.RunTurned(RunPhase.STOPPING, "interrupted", RunPhase.INTERRUPTED));
    Scene scene = new Scene();
    try (Run run = Run.resume(home(), scene.keeping(2, Scene.local(4)))) {
      int interrupted = scene.await(0, Scene.run(RunPhase.INTERRUPTED));
      int waiting = scene.await(interrupted, Scene.run(RunPhase.WAITING));
      scene.await(waiting, Scene.generationOf(2));
      assertThat(run.status().nodes()).hasSize(4);
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void anInterruptedRunCanBeStoppedForGood() throws Exception {
    RunFolder.create(home(), Scene.spec("given-up", Scene.member(folder, 10, 20)));
    append(
        new Event.Started("given-up", 1, 1, 1, 0),
        new Event.RunTurned(RunPhase.STOPPING, "interrupted", RunPhase.INTERRUPTED),
        new Event.RunTurned(RunPhase.INTERRUPTED, "interrupted"));
    RunStatus end = Runs.stop(home(), "enough", Duration.ofSeconds(30));
    assertThat(end.state()).isEqualTo(RunPhase.STOPPED);
    assertThat(end.reason()).isEqualTo("enough");
  }

  @Test
  void agentsThatNobodyComesBackToEndThemselves() throws Exception {
    Process first = CoordinatorProcess.start(folder, 100_000, 2);
    awaitStatus(s -> s.state() == RunPhase.TRAINING && s.step() > 10);
    first.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    assertThat(Scene.left(home())).isNotEmpty();
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aRunIsStoppedFromAnotherProcessWithItsCoordinatorAliveOrDead() throws Exception {
    Process first = CoordinatorProcess.start(folder, 100_000, 2);
    awaitStatus(s -> s.state() == RunPhase.TRAINING);
    assertThat(Runs.coordinated(home())).isTrue();
    RunStatus end = Runs.stop(home(), "enough", Duration.ofSeconds(30));
    assertThat(end.state()).isEqualTo(RunPhase.STOPPED);
    assertThat(end.reason()).isEqualTo("enough");
    assertThat(end.held()).isEmpty();
    assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
    Scene.awaitNothingLeft(home());

    Path other = Files.createDirectories(folder.resolve("other"));
    Process second = CoordinatorProcess.start(other, 100_000, 2);
    long until = System.nanoTime() + Scene.PATIENCE.toNanos();
    while (Scene.left(other.resolve("run")).size() < 4 && System.nanoTime() < until) {
      Thread.sleep(20);
    }
    second.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    RunStatus dead = Runs.stop(other.resolve("run"), "enough", Duration.ofSeconds(30));
    assertThat(dead.state()).isEqualTo(RunPhase.STOPPED);
    assertThat(dead.held()).isEmpty();
    Scene.awaitNothingLeft(other.resolve("run"));
    assertThat(Runs.status(other.resolve("run"), Clock.systemUTC()).state())
        .isEqualTo(RunPhase.STOPPED);
  }

  /** Adds to the log of a run that nobody coordinates. */
  private void append(Event... events) throws Exception {
    try (EventLog log = EventLog.open(home().resolve("events.jsonl"))) {
      for (Event event : events) {
        log.append(new Logged(System.currentTimeMillis(), 0, event));
      }
    }
  }

  /** Lets a coordinator train with two nodes, kills it, and returns how the run stood. */
  private RunStatus killed() throws Exception {
    Process first = CoordinatorProcess.start(folder, 100_000, 2);
    try {
      return awaitStatus(s -> s.state() == RunPhase.TRAINING && s.members().size() == 2);
    } finally {
      first.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void aGenerationThatWasWrittenDownButNotSentIsSentByTheNextCoordinator() throws Exception {
    RunStatus before = killed();
    long untold = before.generation() + 1;
    append(
        new Event.Generation(untold, before.members(), 0),
        new Event.RunTurned(RunPhase.FORMING, ""));
    for (String node : before.members()) {
      append(new Event.NodeTurned(node, NodeState.READY, ""));
    }
    Scene scene = new Scene();
    try (Run run = Run.resume(home(), scene.keeping(2, Scene.local(3)))) {
      scene.await(0, Scene.run(RunPhase.TRAINING));
      assertThat(run.status().generation()).isGreaterThanOrEqualTo(untold);
      assertThat(run.status().members()).isEqualTo(before.members());
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aMemberThatIsToldOfItsEndTrainsOnInItsGeneration() throws Exception {
    RunStatus before = killed();
    String told = before.members().get(0);
    append(new Event.NodeTurned(told, NodeState.NOTICED, "the script will take it"));
    Scene scene = new Scene();
    try (Run run = Run.resume(home(), scene.keeping(2, Scene.local(3)))) {
      scene.await(0, e -> e instanceof Event.Progress p && p.step() > before.step() + 50);
      assertThat(run.status().generation()).as(scene::told).isEqualTo(before.generation());
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aRunWhoseCoordinatorDiedWhileItStoppedEndsAsItWasMeantTo() throws Exception {
    RunStatus before = killed();
    append(new Event.RunTurned(RunPhase.STOPPING, "the work is done", RunPhase.FINISHED));
    String gone = before.nodes().get(0).handle();
    ProcessHandle agent =
        ProcessHandle.of(Long.parseLong(gone.substring(0, gone.indexOf('@')))).orElseThrow();
    agent.destroyForcibly();
    agent.onExit().get(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    try (Run run = Run.resume(home(), new Scene().keeping(3, Scene.local(3)))) {
      RunStatus end = run.await(Scene.PATIENCE);
      assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
      assertThat(end.reason()).isEqualTo("the work is done");
      assertThat(end.nodes()).hasSize(2);
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aStopAskedForTooLateChangesNothingAboutTheEnd() throws Exception {
    RunFolder.create(home(), Scene.spec("late", Scene.member(folder, 10, 20)));
    append(
        new Event.Started("late", 1, 1, 1, 0),
        new Event.RunTurned(RunPhase.STOPPING, "the work is done", RunPhase.FINISHED));
    RunStatus end = Runs.stop(home(), "enough", Duration.ofSeconds(30));
    assertThat(end.state()).isEqualTo(RunPhase.FINISHED);
    assertThat(end.reason()).isEqualTo("the work is done");
  }

  @Test
  void aCoordinatorThatBreaksSaysSoAndTheNextOneRentsTheServersThatAreMissing() throws Exception {
    Scene scene = new Scene();
    Setting usual = scene.keeping(1, Scene.local(2));
    Setting breaks =
        new Setting(
            usual.cloud(),
            usual.speed(),
            usual.scenario(),
            usual.policy(),
            null,
            logged -> {
              if (logged.event() instanceof Event.Started) {
                throw new IllegalStateException("a bad listener");
              }
            });
    RunSpec spec = Scene.spec("breaks", Scene.member(folder, 100_000, 20)).withServers(1, 0);
    try (Run run = Run.start(home(), spec, breaks)) {
      assertThatThrownBy(() -> run.await(Scene.PATIENCE)).hasMessageContaining("a bad listener");
    }
    assertThat(EventLog.read(home().resolve("events.jsonl")))
        .extracting(Logged::event)
        .last()
        .isEqualTo(new Event.Broken("java.lang.IllegalStateException: a bad listener"));
    try (Run run = Run.resume(home(), scene.keeping(1, Scene.local(2)))) {
      scene.await(0, Scene.generationOf(2));
      assertThat(run.status().nodes())
          .extracting(NodeStatus::role)
          .containsExactlyInAnyOrder(Role.SERVER, Role.WORKER);
    }
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aSecondCoordinatorIsRefused() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = Scene.spec("two", Scene.member(folder, 100_000, 20));
    try (Run run = Run.start(home(), spec, scene.keeping(1, Scene.local(1)))) {
      scene.await(0, Scene.run(RunPhase.TRAINING));
      assertThatThrownBy(() -> Run.resume(home(), new Scene().keeping(1, Scene.local(1))))
          .isInstanceOf(BadInput.class)
          .hasMessageStartingWith("Another coordinator looks after the run in");
      run.stop("seen enough");
      assertThat(run.await(Scene.PATIENCE).state()).isEqualTo(RunPhase.STOPPED);
      // It was asked to end, and what it saved then was heard.
      assertThat(scene.events())
          .extracting(Logged::event)
          .anyMatch(e -> e instanceof Event.Saved saved && saved.reason().equals("stopped"));
    }
    assertThatThrownBy(() -> Run.resume(home(), new Scene().keeping(1, Scene.local(1))))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("is over: STOPPED");
    Scene.awaitNothingLeft(home());
  }

  @Test
  void aRunInWhichNothingHappensIsPaidUntilItsCoordinatorDies() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = Scene.spec("still", Scene.script(folder, 0, "sleep 1000"));
    try (Run run = Run.start(home(), spec, scene.keeping(1, Scene.local(1)))) {
      int trains = scene.await(0, Scene.run(RunPhase.TRAINING));
      int first = scene.await(trains, e -> e instanceof Event.Alive);
      scene.await(first + 1, e -> e instanceof Event.Alive);
      long last = RunStatus.of(EventLog.read(home().resolve("events.jsonl"))).marketMs();
      assertThat(run.status().marketMs() - last).isLessThan(30_000);
    }
    Scene.awaitNothingLeft(home());
  }

  /** Writes the log of a run whose coordinator died after an hour with a node and an anchor. */
  private void diedLongAgo(long startMs) throws Exception {
    RunSpec spec = Scene.spec("dead", Scene.script(folder, 0, "sleep 1000"));
    RunFolder run = RunFolder.create(home(), spec);
    long hour = 3_600_000;
    try (EventLog log = EventLog.open(run.events())) {
      log.append(new Logged(startMs, 0, new Event.Started("dead", 1, 1, 0, 2_000_000)));
      log.append(
          new Logged(
              startMs, 0, new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1_000_000)));
      log.append(new Logged(startMs, 0, new Event.Granted("n1", "4194303@1")));
      log.append(new Logged(startMs, 0, new Event.NodeTurned("n1", NodeState.BOOTING, "")));
      log.append(new Logged(startMs + hour, hour, new Event.Priced(0, 1_000_000)));
    }
  }

  /** An hour and the 27 s that agents wait here; the node costs $1 an hour, the anchor $2. */
  private static final long PAID_MS = 3_627_000;

  private static final Money PAID = new Money(3_007_500);

  @Test
  void whatEndedLongAgoIsNotPaidUntilSomebodyStopsTheRun() throws Exception {
    diedLongAgo(1_000_000);
    RunStatus end = Runs.stop(home(), "enough", Duration.ofSeconds(30));
    assertThat(end.state()).isEqualTo(RunPhase.STOPPED);
    // The market's time stands still when no agent can live any more.
    assertThat(end.nodes().get(0).endedMs()).isBetween(PAID_MS, PAID_MS + 5_000);
    assertThat(end.cost().dollars()).isBetween(PAID.dollars(), PAID.dollars() + 0.01);
  }

  @Test
  void whatEndedLongAgoIsNotPaidUntilSomebodyResumesTheRun() throws Exception {
    diedLongAgo(System.currentTimeMillis() - Duration.ofHours(20).toMillis());
    Scene scene = new Scene();
    try (Run run = Run.resume(home(), scene.keeping(1, Scene.local(1)))) {
      int lost = scene.await(0, Scene.node(NodeState.LOST));
      assertThat(scene.events().get(lost).marketMs()).isBetween(PAID_MS, PAID_MS + 5_000);
      scene.await(lost, e -> e instanceof Event.Rented);
      assertThat(run.status().cost().dollars()).isBetween(PAID.dollars(), PAID.dollars() + 0.1);
    }
    Scene.awaitNothingLeft(home());
  }
}
