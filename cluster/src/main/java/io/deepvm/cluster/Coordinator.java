package io.deepvm.cluster;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.wire.Command;
import io.deepvm.cluster.wire.Message;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds a run together from its beginning to its end: hears what agents say, has the policy decide
 * and others act on it. All that changes a run happens in one thread.
 */
final class Coordinator implements AutoCloseable {

  private static final long HERE_MS = 500;
  private static final long CONTROL_MS = 200;
  private static final long STOP_POLL_MS = 20;
  private static final double FINISH_SECONDS = 10;
  private static final double LAST_WORDS_SECONDS = 0.5;
  private static final double SPARE_SECONDS = 20;
  private static final String INTERRUPTED = "the coordinator was interrupted";

  private final RunFolder folder;
  private final RunSpec spec;
  private final Setting setting;
  private final Desk desk;
  private final History history;
  private final Loop loop;
  private final MarketPlayer player;
  private final Journal journal;
  private final Steps steps;
  private final Fleet fleet;
  private final Formation formation;
  private final Blame blame;
  private final LiveCluster cluster;
  private final Waiting waiting;
  private final OutputRelay output;
  private final CompletableFuture<RunStatus> end = new CompletableFuture<>();

  private int restarts;
  private boolean opened;
  private boolean deciding;
  private boolean decideAgain;

  // A member has done the last step, so nobody is needed to take a place.
  private boolean finishing;

  // Why the run stops once its servers have saved this step, or a later one.
  private @Nullable String parting;
  private RunState partingAs = RunState.STOPPED;
  private long partingStep;
  private @Nullable RunState outcome;
  private String outcomeReason = "";
  private long stopByNanos;
  private @Nullable Thread hook;

  Coordinator(RunFolder folder, Setting setting, Desk desk, Loop.Timers timers) throws IOException {
    this.folder = folder;
    this.spec = folder.spec();
    this.setting = setting;
    this.desk = desk;
    this.history = desk.history();
    this.loop = new Loop(desk.log(), this::crash, timers);
    this.player = new MarketPlayer(this, setting, spec.name());
    this.journal = new Journal(desk, setting, player::marketMs);
    this.steps = new Steps(journal::write);
    this.output = new OutputRelay(setting.listener());
    // Each takes those before it from here.
    this.fleet = new Fleet(this, setting, desk, folder.token(), player);
    this.formation = new Formation(this, setting.market(), desk.keeper());
    this.blame = new Blame(this);
    this.cluster = new LiveCluster(this, setting, player);
    loop.afterEach(this::settle);
    this.waiting =
        new Waiting(spec, setting.scenario().workers(), setting.market(), player::spotAvailable);
  }

  /** Takes the folder's run over, new or old, and lets it run. */
  static Coordinator start(RunFolder folder, Setting setting)
      throws IOException, InterruptedException {
    Desk desk = Desk.open(folder, setting.provider());
    try {
      Coordinator coordinator = new Coordinator(folder, setting, desk, new Loop.Threads());
      coordinator.begin();
      return coordinator;
    } catch (IOException | RuntimeException e) {
      desk.close();
      throw e;
    }
  }

  private void begin() throws IOException {
    Keeper keeper = desk.keeper();
    if (desk.server() != null) {
      keeper.claimRoot();
      // We hold the folder, so whoever led on this server is dead.
      keeper.forgetLeader();
    }
    keeper.claimRun();
    if (!keeper.lead(Desk.KEEPER_PATIENCE, () -> loop.post(this::deposed))) {
      throw new BadInput(
          "Another coordinator leads the run %s at %s.".formatted(spec.name(), desk.address()),
          "Maybe give this run another name, or stop the other one.");
    }
    keeper.putSpec(JsonMapper.builder().build().writeValueAsString(spec.work()));
    formation.open();
    hook = new Thread(this::abandon, "run-hook");
    Runtime.getRuntime().addShutdownHook(hook);
    loop.post(this::open);
    loop.every(HERE_MS, fleet::tellHere);
    loop.every(CONTROL_MS, this::control);
    loop.every(Steps.LOGGED_MS, steps::flush);
  }

  /** Starts afresh, or goes on from where the log ends. */
  private void open() throws IOException {
    boolean fresh = history.status().startedMs() == 0;
    if (fresh) {
      player.open(0);
      double grain = setting.scenario().billing().granularitySeconds();
      double least = setting.scenario().billing().minimumSeconds();
      journal.write(
          new Event.Started(
              spec.name(),
              setting.speed(),
              Math.round(grain * 1000),
              Math.round(least * 1000),
              setting.scenario().anchorsPerHour().micros()));
    } else {
      restarts = history.restarts();
      player.open(Survivors.marketMs(history, spec, setting.clock().millis()));
      fleet.takeOver();
      if (history.state() == RunState.STOPPING && history.outcome() != RunState.INTERRUPTED) {
        // Whatever is left of it, nothing is rented or formed any more.
        conclude(history.outcome(), history.status().reason());
        return;
      }
      goOn();
      fleet.awaitAgents();
    }
    opened = true;
    desk.keeper()
        .watchNodes(
            there -> loop.post(() -> fleet.registered(there)),
            gone -> loop.post(() -> fleet.unregistered(gone)));
    fleet.rentServers();
    player.begin();
  }

  /** Follows up what a step changed. */
  private void settle() {
    if (opened && !end.isDone()) {
      player.checkPace();
    }
  }

  /** Goes on after an interruption, which the last coordinator may not have brought to its end. */
  private void goOn() {
    if (history.state() == RunState.STOPPING) {
      fleet.end(INTERRUPTED);
      journal.turn(RunState.INTERRUPTED, INTERRUPTED);
    }
    if (history.state() == RunState.INTERRUPTED) {
      journal.turn(RunState.WAITING, "the run goes on");
    }
  }

  // --- What the run is made of ---

  RunSpec spec() {
    return spec;
  }

  History history() {
    return history;
  }

  Loop loop() {
    return loop;
  }

  Journal journal() {
    return journal;
  }

  MarketPlayer player() {
    return player;
  }

  Steps steps() {
    return steps;
  }

  Fleet fleet() {
    return fleet;
  }

  OutputRelay output() {
    return output;
  }

  Formation formation() {
    return formation;
  }

  Blame blame() {
    return blame;
  }

  // --- What agents say ---

  void heard(Node node, Message message) {
    if (message instanceof Message.Said said && said.report() instanceof Report.Saved) {
      // What a process saves at its end counts, too.
      heard(node, said.report());
      return;
    }
    if (isOver() || !fleet.lives(node)) {
      return;
    }
    if (message instanceof Message.Said said) {
      heard(node, said.report());
    } else if (message instanceof Message.Launched launched) {
      formation.joined(node, launched.generation(), -1, Report.Origin.FRESH);
    } else if (message instanceof Message.Missed missed) {
      blame.missed(node, missed.generation());
    } else if (message instanceof Message.Silent silent) {
      blame.silent(node, silent);
    } else if (message instanceof Message.Exited exited) {
      blame.exited(node, exited);
    }
  }

  private void heard(Node node, Report report) {
    if (report instanceof Report.Forming) {
      blame.forming();
    } else if (report instanceof Report.Formed formed) {
      formation.joined(node, formed.generation(), formed.step(), formed.from());
    } else if (report instanceof Report.Step step) {
      if (step.generation() == history.generation()) {
        node.stepped();
        blame.stepped();
        steps.told(node, step);
      }
    } else if (report instanceof Report.Saved saved) {
      steps.flush();
      journal.write(new Event.Saved(node.name(), saved.step(), saved.state(), saved.reason()));
      // Copies in memory do not outlive the run.
      boolean settled = !saved.state().equals("REPLICATED");
      if (parting != null && settled && saved.step() >= partingStep) {
        conclude(partingAs, parting);
      }
    } else if (report instanceof Report.Suspect suspect) {
      blame.suspected(node, suspect);
    } else if (report instanceof Report.Finished finished) {
      finished(node, finished);
    }
  }

  private void finished(Node node, Report.Finished finished) {
    node.finished = true;
    finishing = true;
    steps.finished(node, history.generation(), finished);
    boolean all =
        formation.members().stream()
            .allMatch(
                member ->
                    member.finished || !fleet.lives(member) || member.rented.role() == Role.SERVER);
    if (all) {
      conclude(RunState.FINISHED, "the work is done");
    } else {
      // The first saves for all before it says so; the others may lose sight of each other.
      boolean first = node.name().equals(history.members().get(0));
      loop.after(
          first ? LAST_WORDS_SECONDS : FINISH_SECONDS,
          () -> conclude(RunState.FINISHED, "the work is done"));
    }
  }

  /** A process failed by its own fault: everybody starts again, for so many times. */
  void failed(Node node, String what) {
    if (isOver()) {
      return;
    }
    restarts++;
    if (restarts > spec.work().maxRestarts()) {
      conclude(RunState.FAILED, "%s (on %s)".formatted(what, node.name()));
    } else if (spec.work().kind() == Work.Kind.COMMAND) {
      formation.anew();
    } else {
      node.tell(new Command.Restart());
    }
  }

  /** Returns how often everybody has started again because a process failed. */
  int restarts() {
    return restarts;
  }

  // --- The policy ---

  /** Asks the policy what to rent and what to give back. */
  void decide(boolean tick) {
    if (!rents()) {
      return;
    }
    if (deciding) {
      // What it does makes changes of its own; it is asked again about those, once.
      decideAgain = true;
      return;
    }
    deciding = true;
    try {
      setting.policy().decide(cluster, tick);
    } finally {
      deciding = false;
    }
    if (decideAgain) {
      decideAgain = false;
      loop.post(() -> decide(false));
    }
  }

  // --- The end ---

  /** Whether how the run ends is decided. */
  boolean isOver() {
    return outcome != null;
  }

  /** Whether there is work left that nodes are needed for. */
  boolean goesOn() {
    return !isOver() && !finishing;
  }

  /** Whether nodes that are missing are worth renting. */
  boolean rents() {
    return goesOn() && parting == null;
  }

  void control() throws IOException {
    String why = folder.stopAsked();
    if (why != null) {
      stopEarly(RunState.STOPPED, why);
    }
    blame.watchSteps();
    watchWaiting();
    journal.writeAlive();
  }

  /** Says what a run that does not train waits for, and ends one that waits in vain. */
  private void watchWaiting() {
    if (!rents()) {
      return;
    }
    Event.Waits waits = waiting.report(history, setting.clock().millis(), player.marketMs());
    if (waits != null) {
      journal.write(waits);
    }
    String why = waiting.tooLong(history, player.marketMs());
    if (why != null) {
      conclude(RunState.INFEASIBLE, why);
    }
  }

  /**
   * Ends the run before its work is done. A server can only save what all workers have finished, so
   * while there is one they go on until it has, or for as long as stopping may take.
   */
  private void stopEarly(RunState how, String why) throws IOException {
    if (isOver() || parting != null) {
      return;
    }
    steps.flush();
    Node server =
        formation.members().stream()
            .filter(node -> node.rented.role() == Role.SERVER)
            .findFirst()
            .orElse(null);
    RunStatus now = history.status();
    if (server == null || now.state() == RunState.WAITING || now.safeStep() >= now.step()) {
      conclude(how, why);
      return;
    }
    if (how == RunState.STOPPED) {
      // Should this process die meanwhile, the next one stops the run as well.
      folder.askToStop(why);
    }
    parting = why;
    partingAs = how;
    partingStep = now.step();
    double patience = spec.work().timeouts().stopSeconds();
    server.tell(new Command.Notice(patience));
    loop.after(patience, () -> conclude(how, why));
  }

  /** Ends everything and then the run. */
  void conclude(RunState how, String why) {
    if (isOver()) {
      return;
    }
    steps.flush();
    outcome = how;
    outcomeReason = why;
    if (history.state() != RunState.STOPPING) {
      journal.write(new Event.RunTurned(RunState.STOPPING, why, how));
    }
    fleet.stop(why);
    awaitNodes(output.passed() - 1);
  }

  /**
   * Waits for the nodes to end. Output that still arrives extends the wait; there is little of it,
   * since an agent keeps a bounded part.
   *
   * @param before how many messages with output had arrived at the last look
   */
  private void awaitNodes(long before) {
    long passed = output.passed();
    if (passed != before) {
      stopByNanos =
          System.nanoTime() + Math.round((spec.work().timeouts().stopSeconds() + 2) * 1e9);
    }
    if ((fleet.isLeft() || output.isBusy()) && System.nanoTime() < stopByNanos) {
      loop.after(STOP_POLL_MS / 1e3, () -> awaitNodes(passed));
      return;
    }
    RunState how = outcome;
    fleet.end(how == RunState.INTERRUPTED ? outcomeReason : "the run is over");
    journal.turn(how == null ? RunState.STOPPED : how, outcomeReason);
    finish();
  }

  /** Lets go of everything, after the run's end. */
  private void finish() {
    RunStatus status = history.status();
    journal.sync();
    loop.aside(
        () -> {
          loop.stop();
          letGo();
          end.complete(status);
        });
  }

  private void letGo() {
    output.close();
    desk.close();
    try {
      if (hook != null) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException e) {
      // This process is ending.
    }
  }

  /**
   * The process ends in order while the run goes on: nothing may outlive it, but another may resume
   * it.
   */
  private void abandon() {
    loop.post(() -> stopEarly(RunState.INTERRUPTED, INTERRUPTED));
    try {
      end.get(stopMillis(), TimeUnit.MILLISECONDS);
    } catch (Exception e) {
      desk.provider().close();
    }
  }

  private void deposed() {
    if (!isOver()) {
      crash(new IllegalStateException("Another coordinator leads this run now."));
    }
  }

  /** Something cannot be: the run ends here rather than goes wrong. */
  private void crash(Throwable cause) {
    if (end.isDone()) {
      loop.stop();
      return;
    }
    try {
      // First: stopping the loop interrupts this thread, which then cannot write any more.
      journal.write(new Event.Broken(String.valueOf(cause)));
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
    loop.aside(
        () -> {
          fleet.hangUp();
          letGo();
          end.completeExceptionally(cause);
        });
    loop.stop();
  }

  /** Ends the run. */
  void stop(String why) {
    loop.post(() -> stopEarly(RunState.STOPPED, why));
  }

  /** Returns how long stopping may take: servers save, then processes end, on a busy machine. */
  long stopMillis() {
    return Math.round(1000 * (2 * spec.work().timeouts().stopSeconds() + SPARE_SECONDS));
  }

  CompletableFuture<RunStatus> end() {
    return end;
  }

  /** Returns how the run stands now. */
  RunStatus status() {
    return history.status(setting.clock().millis());
  }

  @Override
  public void close() {
    stop("closed");
  }
}
