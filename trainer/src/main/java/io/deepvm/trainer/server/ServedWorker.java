package io.deepvm.trainer.server;

import io.deepvm.cluster.member.Report;
import io.deepvm.trainer.data.SampleOrder;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.AgentChannel;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.member.Totals;
import io.deepvm.trainer.member.TrainingPace;
import io.deepvm.trainer.model.Learner;
import io.deepvm.trainer.vector.Floats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** A worker in one generation: pull, compute, push, again and again. */
final class ServedWorker {

  private static final Duration PAUSE = Duration.ofMillis(2);

  private final TrainingJob job;
  private final AgentChannel agent;
  private final Peers peers;
  private final Session session;
  private final Learner learner;
  private final ModelState state;
  private final List<Integer> servers;
  private final int rank;
  private final TrainingPace pace;
  private final SampleOrder order;
  private final ByteBuffer gradient;
  private final List<ByteBuffer> versions = new ArrayList<>();
  private double wait;
  private double checkpoint;

  ServedWorker(
      TrainingJob job,
      AgentChannel agent,
      Peers peers,
      Session session,
      Learner learner,
      ModelState state,
      List<Integer> servers,
      int rank,
      TrainingPace pace) {
    this.job = job;
    this.agent = agent;
    this.peers = peers;
    this.session = session;
    this.learner = learner;
    this.state = state;
    this.servers = servers;
    this.rank = rank;
    this.pace = pace;
    order = new SampleOrder(job.seed(), learner.samples());
    gradient = Floats.allocate(learner.size());
    servers.forEach(
        server ->
            versions.add(ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder())));
  }

  /** Works until there is nothing left. */
  void run() throws GenerationOver, PeerLost, InterruptedException {
    Call.Grant grant = lease(-1, 0);
    while (grant.lease() != Call.Grant.DONE) {
      long begin = System.nanoTime();
      inTurn(Call.Way.PULL, this::pull);
      long pulled = System.nanoTime();
      double loss = compute(grant.lease());
      session.keep(pace, System.nanoTime() - pulled);
      long computed = System.nanoTime();
      long lease = grant.lease();
      inTurn(Call.Way.PUSH, part -> push(part, lease));
      double exchanged = (System.nanoTime() - computed + pulled - begin) / 1e9;
      double waited = wait;
      grant = lease(grant.lease(), loss);
      Totals totals = grant.totals();
      if (totals != null) {
        agent.report(
            new Report.Step(
                session.generation(),
                totals.step(),
                totals.samples(),
                loss / job.microBatch(),
                (computed - pulled) / 1e9,
                exchanged,
                Math.max(0, wait - waited - checkpoint),
                checkpoint));
        checkpoint = 0;
      }
    }
  }

  /** Gives back a lease that is done and waits for another. */
  private Call.Grant lease(long done, double loss)
      throws GenerationOver, PeerLost, InterruptedException {
    long begin = System.nanoTime();
    long finished = done;
    while (true) {
      Call.Lease wish = new Call.Lease(session.generation(), rank, finished, loss);
      Call.Grant grant = Call.Grant.of(session.ask(servers.get(0), wish.bytes()));
      checkpoint += grant.checkpointSeconds();
      if (grant.lease() != Call.Grant.WAIT) {
        wait += (System.nanoTime() - begin) / 1e9;
        return grant;
      }
      finished = -1;
      session.idle(PAUSE);
    }
  }

  private int begin(int part) {
    return ParameterShard.begin(learner.size(), part, servers.size());
  }

  /** Exchanges something with every server, with each when it is this worker's turn there. */
  private void inTurn(Call.Way way, IntFunction<CompletableFuture<Boolean>> exchange)
      throws GenerationOver, PeerLost, InterruptedException {
    List<CompletableFuture<byte[]>> turns = new ArrayList<>();
    for (int part = 0; part < servers.size(); part++) {
      turns.add(turn(part, way));
    }
    Map<Integer, CompletableFuture<Boolean>> begun = new HashMap<>();
    int open = servers.size();
    while (open > 0) {
      session.await(
          "A server did not answer.",
          () ->
              turns.stream().anyMatch(CompletableFuture::isDone)
                  || begun.values().stream().anyMatch(ServedWorker::over));
      for (int part = 0; part < servers.size(); part++) {
        CompletableFuture<Boolean> running = begun.get(part);
        if (running != null && over(running)) {
          begun.remove(part);
          open--;
          if (way == Call.Way.PULL) {
            var unused =
                peers.ask(servers.get(part), new Call.Had(session.generation(), rank).bytes());
          }
        } else if (turns.get(part).isDone()) {
          boolean go = turns.get(part).join().length > 0;
          if (go) {
            begun.put(part, exchange.apply(part));
          } else {
            session.idle(PAUSE);
          }
          turns.set(part, go ? new CompletableFuture<>() : turn(part, way));
        }
      }
    }
  }

  private CompletableFuture<byte[]> turn(int part, Call.Way way) {
    return peers.ask(servers.get(part), new Call.Turn(session.generation(), rank, way).bytes());
  }

  /** Whether it was done; what failed is noticed as a member lost. */
  private static boolean over(CompletableFuture<Boolean> exchange) {
    return exchange.isDone() && exchange.join();
  }

  private CompletableFuture<Boolean> pull(int part) {
    List<ByteBuffer> into = new ArrayList<>();
    into.add(versions.get(part).duplicate());
    into.addAll(state.parameters(begin(part), begin(part + 1)));
    return peers.fetch(
        servers.get(part),
        "p/" + session.generation() + "/" + rank,
        into.toArray(ByteBuffer[]::new));
  }

  private double compute(long lease) {
    FloatBuffer into = gradient.asFloatBuffer();
    Floats.clear(into);
    long[] samples = new long[job.microBatch()];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = order.sample(lease * job.microBatch() + i);
    }
    learner.draw(lease * job.microBatch());
    return learner.gradient(samples, into);
  }

  /** Pushes to a server; it is done when the server has applied it. */
  private CompletableFuture<Boolean> push(int part, long lease) {
    CompletableFuture<Boolean> pushed = new CompletableFuture<>();
    int from = begin(part) * Float.BYTES;
    peers.send(
        servers.get(part),
        "g/" + lease + "/" + versions.get(part).getLong(0) + "/" + rank,
        gradient.slice(from, begin(part + 1) * Float.BYTES - from),
        () -> pushed.complete(true));
    return pushed;
  }
}
