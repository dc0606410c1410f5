package io.deepvm.trainer.server;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.Agent;
import io.deepvm.trainer.member.AtWork;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.Pace;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Saves;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.member.Strategy;
import io.deepvm.trainer.member.Totals;
import io.deepvm.trainer.model.Learner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
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
  private final Agent agent;
  private final Peers peers;
  private final Saves saves;
  private final Pace pace;
  private final Learner learner;
  private final ModelState state;
  private final Leases leases;
  private final Turns pushes = new Turns(System::nanoTime);
  private final Turns pulls = new Turns(System::nanoTime);

  /** For how long saving has kept workers waiting, until one of them receives it. */
  private final AtomicReference<Double> checkpointSeconds = new AtomicReference<>(0.0);

  // Guarded by this.
  private final TreeMap<Long, Map<Integer, Call.Hello>> hellos = new TreeMap<>();
  private final TreeMap<Long, Call.Start> starts = new TreeMap<>();
  private final TreeMap<Long, Call.Finish> finishes = new TreeMap<>();
  private @Nullable Shard shard;
  private boolean saveSoon;
  private final Set<Integer> kept = new HashSet<>();

  // What this server's shard is; of the training thread.
  private long epoch = -1;
  private int keptPart = -1;
  private int keptParts = -1;

  private volatile long generation = -1;
  private Session session;
  private List<Integer> servers = List.of();
  private int part;
  private Order.@Nullable Notice notice;

  /** Makes a member that has no state yet. */
  public ParameterServer(TrainingJob job, Agent agent, Peers peers, Saves saves, Pace pace) {
    this.job = job;
    this.agent = agent;
    this.peers = peers;
    this.saves = saves;
    this.pace = pace;
    learner = new Learner(job.model(), job.data().open(job.seed()), job.seed());
    learner.warmUp(job.microBatch());
    state = new ModelState(learner.tensors(), learner.size(), job.optimizer());
    leases = new Leases(job.steps() * job.microBatches(), job.microBatch(), job.staleness());
    session = new Session(agent, peers, generation);
    agent.onNotice(this::notice);
  }

  private void notice(Order.Notice said) {
    if (part == 0) {
      notice = said;
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
      hellos.headMap(generation).clear();
      starts.headMap(generation).clear();
      finishes.headMap(generation).clear();
      saveSoon = false;
      kept.clear();
      servers = List.copyOf(ranks);
      part = ranks.indexOf(form.rank());
    }
    pushes.clear();
    pulls.clear();
    session = new Session(agent, peers, generation);
    // A worker goes on whatever happens to the others; the first server must know.
    peers.form(form, other -> part == 0 || servers.contains(other));
  }

  private int begin(int of) {
    return (int) ((long) learner.size() * of / servers.size());
  }

  // A server.

  private void serve() throws GenerationOver, PeerLost, InterruptedException {
    int first = servers.get(0);
    var unused =
        peers.ask(first, new Call.Hello(generation, part, epoch, keptPart, keptParts).bytes());
    Report.Origin origin = Report.Origin.KEPT;
    Call.Start begun;
    if (part == 0) {
      session.await("Not all servers said hello.", () -> helloCount() == servers.size());
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
      session.await("Not all servers have their part.", () -> keptCount() == servers.size() - 1);
      var unusedWorkers = tell(begun, other -> !servers.contains(other));
    } else {
      session.await("The first server did not start.", () -> start() != null);
      begun = Objects.requireNonNull(start());
      if (begun.epoch() != epoch) {
        epoch = -1;
        fetch(first, "s/" + generation + "/" + part, state.buffers(begin(part), begin(part + 1)));
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
      end(Objects.requireNonNull(finish()).totals());
    }
  }

  private synchronized int helloCount() {
    return hellos.getOrDefault(generation, Map.of()).size();
  }

  private synchronized int keptCount() {
    return kept.size();
  }

  private synchronized Call.@Nullable Start start() {
    return starts.get(generation);
  }

  private synchronized Call.@Nullable Finish finish() {
    return finishes.get(generation);
  }

  private boolean over() throws PeerLost {
    if (finish() != null) {
      return true;
    }
    peers.check();
    return false;
  }

  /** Whether all servers keep their parts of one and the same state. */
  private synchronized boolean allKept() {
    return epoch >= 0
        && hellos.getOrDefault(generation, Map.of()).values().stream()
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
      Shard fresh = new Shard(state, begin(part), begin(part + 1), job.microBatch());
      fresh.begin(begun.totals().samples() / job.microBatch());
      shard = fresh;
    }
  }

  /** Leads to the end: saves when it is time, and says when the work is done. */
  private void lead() throws GenerationOver, PeerLost, InterruptedException {
    long seen = leases.done();
    while (!leases.finished()) {
      long before = seen;
      session.await(
          "No worker finished a micro-batch.", () -> leases.done() > before || saveWanted());
      seen = leases.done();
      if (!leases.finished() && (saveWanted() || due(before, seen))) {
        save();
      }
    }
    save();
    Totals totals = leases.totals(generation);
    Shard mine = Objects.requireNonNull(shard);
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

  private boolean due(long before, long now) {
    try {
      return saves.due(state, before, now);
    } catch (IOException e) {
      System.err.println("The state cannot be saved: " + e.getMessage());
      return false;
    }
  }

  private synchronized boolean saveWanted() {
    return saveSoon || notice != null;
  }

  /** Saves a state in which every server has applied the same leases: none is out meanwhile. */
  private void save() throws GenerationOver, PeerLost, InterruptedException {
    long begin = System.nanoTime();
    leases.pause(true);
    session.await("The workers did not finish their leases.", leases::quiet);
    for (int other = 1; other < servers.size(); other++) {
      int rank = servers.get(other);
      fetch(rank, "c/" + generation, state.buffers(begin(other), begin(other + 1)));
      String count =
          new String(session.ask(rank, new Call.Count(generation).bytes()), StandardCharsets.UTF_8);
      check(other, Long.parseLong(count));
    }
    Shard mine = Objects.requireNonNull(shard);
    check(0, mine.count());
    state.validate(leases.totals(generation));
    saves.note(
        "staleness.mean", String.format(java.util.Locale.ROOT, "%.3f", mine.meanStaleness()));
    saves.note("staleness.most", Long.toString(mine.mostStaleness()));
    try {
      Order.Notice said = notice;
      notice = null;
      if (said == null) {
        saves.afterStep(state, true);
      } else {
        saves.notice(state, said);
      }
    } catch (IOException e) {
      System.err.println("The state cannot be saved: " + e.getMessage());
    }
    synchronized (this) {
      saveSoon = false;
    }
    leases.pause(false);
    double took = (System.nanoTime() - begin) / 1e9;
    checkpointSeconds.updateAndGet(before -> before + took);
  }

  private void check(int server, long count) {
    if (count != leases.done()) {
      throw new IllegalStateException(
          "Server %d has applied %d leases of %d.".formatted(server, count, leases.done()));
    }
  }

  // A worker.

  private void work(int rank) throws GenerationOver, PeerLost, InterruptedException {
    session.await("The first server did not start.", () -> start() != null);
    Call.Start begun = Objects.requireNonNull(start());
    agent.report(new Report.Formed(generation, begun.totals().step(), Report.Origin.PEER));
    new Worker(job, agent, peers, session, learner, state, servers, rank, pace).run();
    session.await("The first server did not end.", () -> finish() != null);
    end(Objects.requireNonNull(finish()).totals());
  }

  private void fetch(int from, String name, ByteBuffer... into)
      throws GenerationOver, PeerLost, InterruptedException {
    CompletableFuture<Boolean> fetched = peers.fetch(from, name, into);
    session.await(name + " did not come.", fetched::isDone);
    if (!fetched.join()) {
      throw peers.late(name + " could not be fetched.");
    }
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

  // What the others say.

  @Override
  public byte[] answer(byte[] question) throws IOException {
    Call call = Call.of(question);
    if (call.generation() < generation) {
      throw new BadInput(
          "Generation %d is over.".formatted(call.generation()), "Maybe wait for a newer one.");
    }
    // These may come before this process knows the generation.
    if (call instanceof Call.Hello hello) {
      synchronized (this) {
        hellos
            .computeIfAbsent(hello.generation(), when -> new HashMap<>())
            .put(hello.part(), hello);
      }
      return NOTHING;
    }
    if (call instanceof Call.Start || call instanceof Call.Finish) {
      begunOrOver(call);
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
    synchronized (this) {
      if (call instanceof Call.Save) {
        saveSoon = true;
      } else if (call instanceof Call.Kept said) {
        kept.add(said.part());
      }
    }
    return NOTHING;
  }

  private synchronized void begunOrOver(Call call) {
    if (call instanceof Call.Start said) {
      starts.put(said.generation(), said);
    } else if (call instanceof Call.Finish said) {
      finishes.put(said.generation(), said);
    }
  }

  private Call.Grant lease(Call.Lease asked) {
    if (asked.done() >= 0) {
      leases.finish(asked.worker(), asked.done(), asked.loss());
    }
    return new Call.Grant(
        leases.take(asked.worker()), leases.totals(generation), checkpointSeconds.getAndSet(0.0));
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

  private synchronized Shard shard() throws IOException {
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
