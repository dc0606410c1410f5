package io.deepvm.trainer.server;

import io.deepvm.cluster.member.Order;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Saves;
import io.deepvm.trainer.member.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Saves a state in which every server has applied the same leases: none is out meanwhile. */
final class QuietSave {

  private final Saves saves;
  private final ModelState state;
  private final Leases leases;

  /** The seconds that saving has kept workers waiting, until one of them receives them. */
  private final AtomicReference<Double> seconds = new AtomicReference<>(0.0);

  private volatile boolean isAsked;
  private volatile Order.@Nullable Notice notice;

  QuietSave(Saves saves, ModelState state, Leases leases) {
    this.saves = saves;
    this.state = state;
    this.leases = leases;
  }

  /** Forgets the wish of a server of an older generation; a notice to this one stays. */
  void form() {
    isAsked = false;
  }

  /** Asks for a save soon, because another server will be lost. */
  void want() {
    isAsked = true;
  }

  /** Asks for a save soon, because this server will be lost. */
  void want(Order.Notice own) {
    notice = own;
  }

  boolean isWanted() {
    return isAsked || notice != null;
  }

  /** Whether the rule of saving asks for one, after this many leases before and now. */
  boolean isDue(long before, long now) {
    try {
      return saves.due(state, before, now);
    } catch (IOException e) {
      System.err.println("The state cannot be saved: " + e.getMessage());
      return false;
    }
  }

  /** Returns the seconds since the last call that saving has kept workers waiting. */
  double takeSeconds() {
    return seconds.getAndSet(0.0);
  }

  /** Waits until no lease is out, fetches the parts of the other servers, and saves. */
  void save(Session session, List<Integer> servers, ParameterShard mine)
      throws GenerationOver, PeerLost, InterruptedException {
    long begin = System.nanoTime();
    leases.pause(true);
    session.await("The workers did not finish their leases.", leases::quiet);
    for (int other = 1; other < servers.size(); other++) {
      int rank = servers.get(other);
      session.fetch(rank, "c/" + session.generation(), parts(other, servers.size()));
      byte[] count = session.ask(rank, new Call.Count(session.generation()).bytes());
      check(other, Long.parseLong(new String(count, StandardCharsets.UTF_8)));
    }
    check(0, mine.count());
    state.validate(leases.totals(session.generation()));
    saves.note("staleness.mean", String.format(Locale.ROOT, "%.3f", mine.meanStaleness()));
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
    isAsked = false;
    leases.pause(false);
    double took = (System.nanoTime() - begin) / 1e9;
    seconds.updateAndGet(before -> before + took);
  }

  private ByteBuffer[] parts(int server, int servers) {
    return state.buffers(
        ParameterShard.begin(state.size(), server, servers),
        ParameterShard.begin(state.size(), server + 1, servers));
  }

  private void check(int server, long count) {
    if (count != leases.done()) {
      throw new IllegalStateException(
          "Server %d has applied %d leases of %d.".formatted(server, count, leases.done()));
    }
  }
}
