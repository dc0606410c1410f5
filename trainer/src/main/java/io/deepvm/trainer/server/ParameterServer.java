package io.deepvm.trainer.server;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.AgentChannel;
import io.deepvm.trainer.member.AtWork;
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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Servers keep equal parts of the parameters; each worker pulls them, computes on a micro-batch and
 * pushes its gradient, at its own pace. The first server leases the micro-batches: each is applied
 * once by every server, whichever workers die. When a server is lost, all go back to the last
 * checkpoint, which was taken while no lease was out.
 */
public final class ParameterServer implements Strategy {

  private static final Duration PARTING = Duration.ofSeconds(10);
  private static final Duration TURN = Duration.ofSeconds(10);
  private static final Duration NEXT = Duration.ofSeconds(1);
  private static final byte[] NOTHING = new byte[0];
  private static final byte[] GO = {1};

  private final TrainingJob job;
  private final AgentChannel agent;
  private final Peers peers;
  private final Saves saves;
  private final TrainingPace pace;
  private final Learner learner;
  private final ModelState state;
  private final Leases leases;
  private final Turns pushes = new Turns(System::nanoTime);
  private final Turns pulls = new Turns(System::nanoTime);

  private final ServerRendezvous rendezvous = new ServerRendezvous();
  private final QuietSave quietSave;

  // Guarded by this.
  private @Nullable ParameterShard shard;

  // What this server's shard is; of the training thread.
  private long epoch = -1;
  private int keptPart = -1;
  private int keptParts = -1;

  private volatile long generation = -1;
  private Session session;
  private List<Integer> servers = List.of();
  private int part;

  /** Makes a member that has no state yet. */
  public ParameterServer(
      TrainingJob job, AgentChannel agent, Peers peers, Saves saves, TrainingPace pace) {
    this.job = job;
    this.agent = agent;
    this.peers = peers;
    this.saves = saves;
    this.pace = pace;
    learner = new Learner(job.model(), job.data().open(job.seed()), job.seed());
    learner.warmUp(job.microBatch());
    state = new ModelState(learner.tensors(), learner.size(), job.optimizer());
    leases = new Leases(job.steps() * job.microBatches(), job.microBatch(), job.staleness());
    quietSave = new QuietSave(saves, state, leases);
    session = new Session(agent, peers, generation);
    agent.onNotice(this::notice);
  }

  private void notice(Order.Notice said) {
    if (part == 0) {
      quietSave.want(said);
    } else if (part > 0) {
      var unused = peers.ask(servers.get(0), new Call.Save(generation).bytes());
    }
  }

  @Override
  public void train(Order.Form form) throws GenerationOver, PeerLost, InterruptedException {
    form(form);
    saves.form(form);
    if (part != 0) {
      saves.leaveToOthers();
    }
    if (part < 0) {
      work(form.rank());
    } else {
      serve();
    }
  }

  private void form(Order.Form form) throws InterruptedException {
    peers.quiet();
    List<Integer> ranks = new ArrayList<>();
    for (int rank = 0; rank < form.members().size(); rank++) {
      Member member = form.members().get(rank);
      if (member.role() == Role.SERVER) {
        ranks.add(rank);
      }
    }
    if (ranks.isEmpty()) {
      throw new BadInput(
          "None of the %d members is a server.".formatted(form.members().size()),
          "Maybe plan at least one, or take the strategy averaging.");
    }
    synchronized (this) {
      generation = form.generation();
      servers = List.copyOf(ranks);
      part = ranks.indexOf(form.rank());
    }
    rendezvous.form(generation);
    quietSave.form();
    pushes.clear();
    pulls.clear();
    session = new Session(agent, peers, generation);
    // A worker goes on whatever happens to the others; the first server must know.
    peers.form(form, other -> part == 0 || servers.contains(other));
  }

  private int begin(int of) {
    return ParameterShard.begin(learner.size(), of, servers.size());
  }

  private void serve() throws GenerationOver, PeerLost, InterruptedException {
    int first = servers.get(0);
    var unused =
        peers.ask(first, new Call.Hello(generation, part, epoch, keptPart, keptParts).bytes());
    Report.Origin origin = Report.Origin.KEPT;
    Call.Start begun;
    if (part == 0) {
      session.await(
          "Not all servers said hello.", () -> rendezvous.hellos().size() == servers.size());
      boolean keep = allKept();
      if (keep) {
        leases.takeBack();
      } else {
        origin = restore();
      }
      begun =
          new Call.Start(generation, keep ? epoch : generation, leases.totals(generation), !keep);
      synchronized (this) {
        keep(begun);
      }
      var unusedServers = tell(begun, servers::contains);
      session.await(
          "Not all servers have their part.", () -> rendezvous.keptCount() == servers.size() - 1);
      var unusedWorkers = tell(begun, other -> !servers.contains(other));
    } else {
      session.await("The first server did not start.", () -> rendezvous.start() != null);
      begun = Objects.requireNonNull(rendezvous.start());
      if (begun.epoch() != epoch) {
        epoch = -1;
        session.fetch(
            first, "s/" + generation + "/" + part, state.buffers(begin(part), begin(part + 1)));
        synchronized (this) {
          keep(begun);
        }
        origin = Report.Origin.PEER;
      }
      session.ask(first, new Call.Kept(generation, part).bytes());
    }
    agent.report(new Report.Formed(generation, begun.totals().step(), origin));
    if (part == 0) {
      lead();
    } else {
      // Only the first server knows when it is over.
      while (!agent.await(generation, TURN, this::over)) {
        peers.check();
      }
      end(Objects.requireNonNull(rendezvous.finish()).totals());
    }
  }

  private boolean over() throws PeerLost {
    if (rendezvous.finish() != null) {
      return true;
    }
    peers.check();
    return false;
  }

  /** Whether all servers keep their parts of one and the same state. */
  private boolean allKept() {
    return epoch >= 0
        && rendezvous.hellos().stream()
            .allMatch(
                hello ->
                    hello.epoch() == epoch
                        && hello.keptPart() == hello.part()
                        && hello.keptParts() == servers.size());
  }

  private Report.Origin restore() {
    AtWork sign = session.atWork();
    try {
      Totals saved = saves.restore(state);
      if (saved == null) {
        learner.reset();
        state.forget();
      }
      leases.begin(saved == null ? Totals.NONE : saved);
      return saved == null ? Report.Origin.FRESH : Report.Origin.CHECKPOINT;
    } catch (IOException e) {
      throw new UncheckedIOException("No checkpoint can be restored.", e);
    } finally {
      sign.end();
    }
  }

  /** Keeps this server's part of the state that begins here, unless it does already. */
  private void keep(Call.Start begun) {
    if (begun.epoch() != epoch || shard == null) {
      epoch = begun.epoch();
      keptPart = part;
      keptParts = servers.size();
      ParameterShard fresh =
          new ParameterShard(state, begin(part), begin(part + 1), job.microBatch());
      fresh.begin(begun.totals().samples() / job.microBatch());
      shard = fresh;
    }
  }

  /** Leads to the end: saves when it is time, and says when the work is done. */
  private void lead() throws GenerationOver, PeerLost, InterruptedException {
    ParameterShard mine = Objects.requireNonNull(shard);
    long seen = leases.done();
    while (!leases.finished()) {
      long before = seen;
      session.await(
          "No worker finished a micro-batch.",
          () -> leases.done() > before || quietSave.isWanted());
      seen = leases.done();
      if (!leases.finished() && (quietSave.isWanted() || quietSave.isDue(before, seen))) {
        quietSave.save(session, servers, mine);
      }
    }
    quietSave.save(session, servers, mine);
    Totals totals = leases.totals(generation);
    System.err.printf(
        "Staleness: mean %.2f, most %d.%n", mine.meanStaleness(), mine.mostStaleness());
    // Servers leave as soon as they know, and a worker that does not know yet would miss them.
    partWith(totals, other -> !servers.contains(other));
    partWith(totals, servers::contains);
    end(totals);
  }

  private void partWith(Totals totals, IntPredicate whom)
      throws GenerationOver, PeerLost, InterruptedException {
    CompletableFuture<?> told = tell(new Call.Finish(generation, totals), whom);
    agent.await(generation, PARTING, told::isDone);
  }

  private void work(int rank) throws GenerationOver, PeerLost, InterruptedException {
    session.await("The first server did not start.", () -> rendezvous.start() != null);
    Call.Start begun = Objects.requireNonNull(rendezvous.start());
    agent.report(new Report.Formed(generation, begun.totals().step(), Report.Origin.PEER));
    new ServedWorker(job, agent, peers, session, learner, state, servers, rank, pace).run();
    session.await("The first server did not end.", () -> rendezvous.finish() != null);
    end(Objects.requireNonNull(rendezvous.finish()).totals());
  }

  private void end(Totals totals) throws InterruptedException {
    saves.leaveToOthers();
    agent.report(new Report.Finished(totals.step(), totals.samples(), totals.loss()));
  }

  @Override
  public void leave() throws InterruptedException {
    // Without the others there is no state that all servers agree on; the last save counts.
    saves.leaveToOthers();
  }

  /** Sends the call to the other members that match. */
  private CompletableFuture<?> tell(Call call, IntPredicate whom) {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int other = 0; other < peers.size(); other++) {
      if (other != servers.get(0) && whom.test(other)) {
        all.add(peers.ask(other, call.bytes()));
      }
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  @Override
  public byte[] answer(byte[] question) throws IOException {
    Call call = Call.of(question);
    if (call.generation() < generation) {
      throw new BadInput(
          "Generation %d is over.".formatted(call.generation()), "Maybe wait for a newer one.");
    }
    // These may come before this process knows the generation.
    if (rendezvous.takes(call)) {
      return NOTHING;
    }
    if (call.generation() != generation) {
      throw new IOException("Generation %d is not formed here.".formatted(call.generation()));
    }
    if (call instanceof Call.Lease lease) {
      return lease(lease).bytes();
    }
    if (call instanceof Call.Turn turn) {
      return turn(turn);
    }
    if (call instanceof Call.Had had) {
      pulls.done(had.worker());
      return NOTHING;
    }
    if (call instanceof Call.Count) {
      return Long.toString(shard().count()).getBytes(StandardCharsets.UTF_8);
    }
    if (call instanceof Call.Save) {
      quietSave.want();
    } else if (call instanceof Call.Kept said) {
      rendezvous.keep(said.part());
    }
    return NOTHING;
  }

  private Call.Grant lease(Call.Lease asked) {
    if (asked.done() >= 0) {
      leases.finish(asked.worker(), asked.done(), asked.loss());
    }
    return new Call.Grant(
        leases.take(asked.worker()), leases.totals(generation), quietSave.takeSeconds());
  }

  private byte[] turn(Call.Turn asked) throws IOException {
    try {
      Turns turns = asked.way() == Call.Way.PUSH ? pushes : pulls;
      return turns.take(asked.worker(), NEXT) ? GO : NOTHING;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  private synchronized ParameterShard shard() throws IOException {
    if (shard == null) {
      throw new IOException("This is no server yet.");
    }
    return shard;
  }

  @Override
  public ByteBuffer[] place(long when, String name) throws IOException {
    return new ByteBuffer[] {shard().place(Integer.parseInt(name.split("/", -1)[3]))};
  }

  @Override
  public void received(long when, String name) throws IOException {
    String[] parts = name.split("/", -1);
    int worker = Integer.parseInt(parts[3]);
    pushes.done(worker);
    shard().push(worker, Long.parseLong(parts[1]), Long.parseLong(parts[2]));
  }

  @Override
  public ByteBuffer[] find(String name) throws IOException {
    String[] parts = name.split("/", -1);
    if (Long.parseLong(parts[1]) != generation) {
      throw new IOException(name + " is not here.");
    }
    return switch (parts[0]) {
      case "p" -> shard().pull(Integer.parseInt(parts[2]));
      case "c" -> shard().all();
      case "s" -> {
        int of = Integer.parseInt(parts[2]);
        yield state.buffers(begin(of), begin(of + 1));
      }
      default -> throw new IOException(name + " is not here.");
    };
  }

  @Override
  public void close() {
    learner.close();
  }
}
