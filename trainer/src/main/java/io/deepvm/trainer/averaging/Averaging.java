package io.deepvm.trainer.averaging;

import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.trainer.averaging.Word.Part;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.AgentChannel;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Saves;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.member.Strategy;
import io.deepvm.trainer.member.Totals;
import io.deepvm.trainer.member.TrainingPace;
import io.deepvm.trainer.model.Learner;
import io.deepvm.trainer.vector.OptimizerSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All members have the same parameters. A step's micro-batches are handed out by rank 0, the
 * gradients summed over all, and the step taken once every member holds the whole sum. When members
 * are lost in between, those left keep what they have accumulated and only what is missing is
 * handed out again: every sample counts once, whichever member dies.
 */
public final class Averaging implements Strategy {

  private static final Duration PARTING = Duration.ofSeconds(10);

  /** The optimizer that applies the averaged change, when parameters are averaged. */
  private static final OptimizerSpec WAY = new OptimizerSpec(OptimizerSpec.Kind.SGD, 1, 0, 0.999);

  private final TrainingJob job;
  private final AgentChannel agent;
  private final Peers peers;
  private final Saves saves;
  private final MemberCheckpoints checkpoints;
  private final Learner learner;
  private final @Nullable LocalSteps local;
  private final ModelState state;
  private final GradientExchange exchange;
  private final StepWork work;
  private final Rendezvous rendezvous;

  // Of the training thread.
  private volatile long generation = -1;
  private Accumulator accumulator;

  /** Of the step after the one that is being exchanged. */
  private Accumulator ahead;

  private Session session;
  private int rank;
  private int members;
  private long whole = -1;
  private Report.@Nullable Origin found;
  private CompletableFuture<?> sentToOthers = CompletableFuture.completedFuture(null);

  /** Makes a member that has no state yet. */
  public Averaging(
      TrainingJob job, AgentChannel agent, Peers peers, Saves saves, TrainingPace pace) {
    this.job = job;
    this.agent = agent;
    this.peers = peers;
    this.saves = saves;
    this.checkpoints = new MemberCheckpoints(saves);
    learner = new Learner(job.model(), job.data().open(job.seed()), job.seed());
    local =
        job.average() == TrainingJob.Average.PARAMETERS
            ? new LocalSteps(learner, job.optimizer().rate())
            : null;
    state =
        local == null
            ? new ModelState(learner.tensors(), learner.size(), job.optimizer())
            : new ModelState(local.common(), learner.size(), WAY);
    accumulator = new Accumulator(learner.size());
    ahead = job.overlap() ? new Accumulator(learner.size()) : accumulator;
    exchange = new GradientExchange(peers, learner.size() + 1, job.wire());
    work = new StepWork(job, peers, learner, local, pace);
    rendezvous = new Rendezvous(job.microBatches(), state);
    session = new Session(agent, peers, generation);
    agent.onNotice(this::notice);
    learner.warmUp(job.microBatch());
  }

  private void notice(Order.Notice notice) {
    try {
      if (rank == 0) {
        saves.notice(state, notice);
      }
    } catch (IOException e) {
      System.err.println("The state cannot be saved: " + e.getMessage());
    }
  }

  @Override
  public void train(Order.Form form) throws GenerationOver, PeerLost, InterruptedException {
    form(form);
    saves.form(form);
    if (rank != 0) {
      saves.leaveToOthers();
    }
    Word.Start begun = meet();
    Report.Origin origin = takePart(begun);
    agent.report(new Report.Formed(generation, begun.totals().step(), origin));
    Totals totals = begun.totals();
    while (totals.step() < job.steps()) {
      totals = step(totals);
    }
    finish(totals);
  }

  private void form(Order.Form form) throws InterruptedException {
    peers.quiet();
    generation = form.generation();
    session = new Session(agent, peers, generation);
    rank = form.rank();
    members = form.members().size();
    checkpoints.form(form);
    if (job.overlap()) {
      // Its step may have begun differently for others.
      ahead.clear();
    }
    rendezvous.form(generation, members);
    work.form(session, rank, members);
    exchange.form(generation, rank, places(form));
    peers.form(form, other -> true);
  }

  private List<String> places(Order.Form form) {
    boolean near = job.topology() == TrainingJob.Topology.LOCAL_FIRST;
    return form.members().stream().map(member -> near ? member.place() : "").toList();
  }

  /** Sends rank 0 what this member has, and returns the decision of rank 0. */
  private Word.Start meet() throws GenerationOver, PeerLost, InterruptedException {
    var unused =
        peers.ask(
            0,
            new Word.Hello(generation, rank, state.totals(), accumulator.share(), whole).bytes());
    if (rank == 0) {
      session.await("Not all members said hello.", () -> rendezvous.hellos().size() == members);
      Word.Start decided = decide();
      sendToOthers(decided);
      return decided;
    }
    session.await("Rank 0 did not say where to start.", () -> rendezvous.start() != null);
    return Objects.requireNonNull(rendezvous.start());
  }

  /** Decides where to go on: at the newest state that any member has. */
  private Word.Start decide() {
    Map<Integer, Word.Hello> all = rendezvous.hellos();
    Meeting meeting = new Meeting(all);
    if (checkpoints.restores(state, meeting, session, generation)) {
      found = Report.Origin.CHECKPOINT;
      meeting = meetAgain(all);
    }
    if (meeting.source() < 0) {
      Totals saved = checkpoints.restoreNewest(state, session);
      if (saved == null) {
        learner.reset();
        state.forget();
        if (local != null) {
          local.takeOver();
        }
      }
      found = saved == null ? Report.Origin.FRESH : Report.Origin.CHECKPOINT;
      state.validate((saved == null ? Totals.NONE : saved).in(generation));
      meeting = meetAgain(all);
    }
    Word.Start decided =
        new Word.Start(generation, meeting.totals(), meeting.source(), meeting.parts());
    long step = decided.totals().step();
    rendezvous.begin(step);
    rendezvous.handOut(step, meeting.held());
    if (job.overlap()) {
      rendezvous.handOut(step + 1, Set.of());
    }
    return decided;
  }

  /** Decides again with another state of this member, which has done nothing for the next step. */
  private Meeting meetAgain(Map<Integer, Word.Hello> all) {
    accumulator.clear();
    whole = -1;
    all.put(0, new Word.Hello(generation, 0, state.totals(), accumulator.share(), -1));
    return new Meeting(all);
  }

  private Report.Origin takePart(Word.Start begun)
      throws GenerationOver, PeerLost, InterruptedException {
    Part part = begun.parts().get(rank);
    Report.Origin origin = Report.Origin.KEPT;
    exchange.expect(begun.totals().step());
    switch (part) {
      case KEEP -> origin = found == null ? origin : found;
      case APPLY -> apply(begun.totals());
      case DROP -> accumulator.clear();
      case FETCH -> {
        accumulator.clear();
        fetch(begun);
        origin = Report.Origin.PEER;
      }
    }
    found = null;
    whole = -1;
    return origin;
  }

  private void fetch(Word.Start begun) throws GenerationOver, PeerLost, InterruptedException {
    state.invalidate();
    long step = begun.totals().step();
    session.fetch(begun.source(), "state/" + generation + "/" + step, state.buffers());
    // The source may have gone on in a newer generation while it was being read.
    if (!ask(begun.source(), new Word.Check(generation, step)).equals("1")) {
      throw peers.late("The state could not be fetched.");
    }
    state.validate(begun.totals());
  }

  private Totals step(Totals before) throws GenerationOver, PeerLost, InterruptedException {
    long step = before.step();
    work.computeShare(step, accumulator);
    List<Integer> held = accumulator.share().held();
    if (local != null && !held.isEmpty()) {
      local.contribute(accumulator.floats());
    }
    long finished = System.nanoTime();
    exchange.begin(accumulator.bytes());
    if (job.overlap() && step + 1 < job.steps()) {
      work.computeShare(step + 1, ahead);
      finished = System.nanoTime();
    }
    long othersFinished = exchange.finish(session);
    int counted = (int) exchange.sum().get(learner.size());
    if (counted != job.microBatches()) {
      throw new IllegalStateException(
          "The sum of step %d has %d micro-batches instead of %d."
              .formatted(step, counted, job.microBatches()));
    }
    whole = generation;
    exchange.expect(step + 1);
    Totals after = agree(step, before);
    apply(after);
    Accumulator empty = accumulator;
    accumulator = ahead;
    ahead = empty;
    double begun = Math.max(0, (othersFinished - finished) / 1e9);
    double communicated = (System.nanoTime() - finished) / 1e9 - begun;
    double stall = 0;
    if (rank == 0) {
      try {
        stall = saves.afterStep(state, after.step() == job.steps());
      } catch (IOException e) {
        System.err.println("The state cannot be saved: " + e.getMessage());
      }
    }
    StepWork.Seconds took = work.takeSeconds();
    agent.report(
        new Report.Step(
            generation,
            after.step(),
            after.samples(),
            after.loss(),
            took.compute(),
            communicated,
            took.waiting() + begun,
            stall));
    return after;
  }

  /** Reports to rank 0 that the sum is here, and waits for its commit. */
  private Totals agree(long step, Totals before)
      throws GenerationOver, PeerLost, InterruptedException {
    var unused = peers.ask(0, new Word.Whole(generation, step, rank, accumulator.share()).bytes());
    if (rank == 0) {
      session.await("Not all members hold the sum.", () -> rendezvous.shares().size() == members);
      Totals after = total(before);
      rendezvous.end(step);
      rendezvous.begin(after.step());
      rendezvous.handOut(after.step() + (job.overlap() ? 1 : 0), Set.of());
      sendToOthers(new Word.Commit(generation, after));
      return after;
    }
    session.await("Rank 0 did not commit.", () -> rendezvous.committed(step + 1) != null);
    return Objects.requireNonNull(rendezvous.committed(step + 1));
  }

  private Totals total(Totals before) {
    double loss = 0;
    long ledger = before.ledger();
    boolean[] seen = new boolean[job.microBatches()];
    int count = 0;
    for (Word.Share share : rendezvous.shares()) {
      loss += share.loss();
      ledger += share.ledger();
      for (int microBatch : share.held()) {
        if (seen[microBatch]) {
          throw new IllegalStateException("Micro-batch " + microBatch + " was trained on twice.");
        }
        seen[microBatch] = true;
        count++;
      }
    }
    if (count != seen.length) {
      throw new IllegalStateException("Only %d of %d came.".formatted(count, seen.length));
    }
    return new Totals(
        before.step() + 1,
        before.samples() + job.targetBatch(),
        ledger,
        loss / job.targetBatch(),
        generation);
  }

  private void apply(Totals after) {
    state.apply(exchange.sum(), local == null ? 1f / job.targetBatch() : 1, after);
    accumulator.clear();
    whole = -1;
  }

  private void finish(Totals totals) throws GenerationOver, PeerLost, InterruptedException {
    if (rank == 0) {
      // A member that misses the last commit cannot ask for it later.
      agent.await(generation, PARTING, sentToOthers::isDone);
    }
    saves.leaveToOthers();
    agent.report(new Report.Finished(totals.step(), totals.samples(), totals.loss()));
  }

  @Override
  public void leave() throws InterruptedException {
    if (rank == 0) {
      try {
        saves.afterStep(state, true);
      } catch (IOException e) {
        System.err.println("The state cannot be saved: " + e.getMessage());
      }
    }
    saves.leaveToOthers();
  }

  private void sendToOthers(Word word) {
    CompletableFuture<?>[] all = new CompletableFuture<?>[members - 1];
    for (int other = 1; other < members; other++) {
      all[other - 1] = peers.ask(other, word.bytes());
    }
    sentToOthers = CompletableFuture.allOf(all);
  }

  private String ask(int to, Word word) throws GenerationOver, PeerLost, InterruptedException {
    return new String(session.ask(to, word.bytes()), StandardCharsets.UTF_8);
  }

  @Override
  public byte[] answer(byte[] question) throws IOException {
    return rendezvous.answer(Word.of(question));
  }

  @Override
  public ByteBuffer[] place(long when, String name) throws IOException {
    return exchange.place(when, name);
  }

  @Override
  public void arrived(long when, String name, long offset, int length) {
    exchange.arrived(when, name, offset, length);
  }

  @Override
  public void received(long when, String name) {
    exchange.received(when, name);
  }

  @Override
  public ByteBuffer[] find(String name) throws IOException {
    Totals now = state.totals();
    if (now == null || !name.equals("state/" + generation + "/" + now.step())) {
      throw new IOException(name + " is not here.");
    }
    return state.buffers();
  }

  @Override
  public void close() {
    learner.close();
  }
}
