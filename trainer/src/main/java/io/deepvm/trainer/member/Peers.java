package io.deepvm.trainer.member;

import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Generations;
import io.deepvm.transport.Limits;
import io.deepvm.transport.Name;
import io.deepvm.transport.Role;
import io.deepvm.transport.Security;
import io.deepvm.transport.Timeouts;
import io.deepvm.transport.Transfer;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The other members of a generation. What is sent or asked is tried again once on a new connection;
 * a member that then cannot be reached is lost, which every later {@link #check} says.
 */
public final class Peers implements AutoCloseable {

  private static final Duration REQUEST = Duration.ofSeconds(60);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Timeouts TIMEOUTS =
      new Timeouts(
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(6),
          Duration.ofSeconds(20),
          Duration.ofSeconds(60),
          REQUEST);

  /** Smaller than usual, so that what has come is in the cache when it is checked and summed. */
  private static final int CHUNK_BYTES = 256 << 10;

  private record Lost(String node, String reason) {}

  private final AgentChannel agent;
  private final Name group;
  private final Generations generations = new Generations();
  private final TransportServer server;
  private final PeerConnections connections;
  private final Arrivals arrivals;
  private final Executor background;
  private final Set<Transfer> underway = ConcurrentHashMap.newKeySet();
  private final AtomicLong moved = new AtomicLong();
  private volatile long generation = -1;
  private volatile int rank;
  private volatile List<Member> members = List.of();
  private volatile @Nullable Lost lost;
  private final Object losing = new Object();

  /** Prepares to listen on this address. */
  public Peers(AgentChannel agent, String group, InetSocketAddress bind, Security security) {
    this.agent = agent;
    this.group = Name.of(group);
    TransportOptions options =
        TransportOptions.usual()
            .withLimits(Limits.USUAL.withChunkBytes(CHUNK_BYTES))
            .withTimeouts(TIMEOUTS)
            .withGenerations(generations)
            .withSecurity(security.as(Role.WORKER).to(Role.WORKER));
    background = Executors.newCachedThreadPool(DaemonThreads.named("peers"));
    arrivals = new Arrivals(() -> generation, moved, agent::wake);
    server = new TransportServer(bind, arrivals, options);
    connections = new PeerConnections(options, this::reconnect);
  }

  /** Begins to listen for this strategy, and returns the port. */
  public int start(Conversation strategy) throws IOException {
    arrivals.start(strategy);
    server.start();
    connections.start();
    return server.address().getPort();
  }

  /**
   * Takes these for the members from now on, and connects to those that this one cannot do without.
   *
   * @param needed whether it notices at once when the member of this rank is gone
   */
  public void form(Order.Form form, IntPredicate needed) {
    generations.raise(group, form.generation());
    connections.retain(form.members());
    synchronized (losing) {
      lost = null;
      rank = form.rank();
      members = form.members();
      generation = form.generation();
    }
    for (int other = 0; other < members.size(); other++) {
      if (other != rank && needed.test(other)) {
        int to = other;
        background.execute(() -> connect(to, form.generation()));
      }
    }
  }

  private void connect(int to, long when) {
    try {
      var unused = connection(to);
    } catch (IOException e) {
      lose(to, when, String.valueOf(e.getMessage()));
    }
  }

  /** A connection that ends by itself shows a death even when nothing is being sent. */
  private void reconnect(Connection ended) {
    long when = generation;
    List<Member> then = members;
    for (int other = 0; other < then.size(); other++) {
      if (connections.isOf(then.get(other), ended)) {
        int to = other;
        background.execute(() -> connect(to, when));
      }
    }
  }

  private Connection connection(int to) throws IOException {
    return connections.to(members.get(to));
  }

  private void lose(int to, long when, String reason) {
    // As one: else a loss of the last generation counts in the next, against the node at that
    // rank.
    synchronized (losing) {
      if (when == generation && lost == null) {
        lost = new Lost(members.get(to).node(), reason);
      }
    }
    agent.wake();
  }

  /** Returns how many members there are. */
  public int size() {
    return members.size();
  }

  /** Throws if a member of this generation was lost. */
  public void check() throws PeerLost {
    Lost what = lost;
    if (what != null) {
      throw new PeerLost(what.node, what.reason);
    }
  }

  /** Returns what to throw when something did not come in time and nobody knows why. */
  public PeerLost late(String reason) {
    Lost what = lost;
    return what == null ? new PeerLost("", reason) : new PeerLost(what.node, what.reason);
  }

  /** Lets the others know that they wait for something that takes long, not for ever. */
  public void reportAtWork() {
    long when = generation;
    for (int other = 0; other < members.size(); other++) {
      int to = other;
      if (to != rank) {
        background.execute(() -> reportAtWork(to, when));
      }
    }
  }

  private void reportAtWork(int to, long when) {
    try {
      if (when == generation) {
        var unused = connection(to).request(Arrivals.AT_WORK);
      }
    } catch (IOException e) {
      // Who needs that member will notice.
    }
  }

  /** Returns how often others have said that they are at work. */
  public long reportsOfWork() {
    return arrivals.reportsOfWork();
  }

  /** Returns a number that changes whenever bytes are sent or come. */
  public long moved() {
    return moved.get() + underway.stream().mapToLong(Transfer::acknowledged).sum();
  }

  /** Asks a member, or this process itself; the answer comes unless {@link #check} throws. */
  public CompletableFuture<byte[]> ask(int to, byte[] question) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    long when = generation;
    background.execute(() -> ask(to, when, question, answer));
    return answer;
  }

  private void ask(int to, long when, byte[] question, CompletableFuture<byte[]> answer) {
    String reason = "";
    for (int attempt = 0; attempt < 2 && when == generation; attempt++) {
      try {
        if (to == rank) {
          answer.complete(arrivals.conversation().answer(question));
        } else {
          Connection connection = connection(to);
          try {
            answer.complete(connection.request(question).get());
          } catch (ExecutionException e) {
            if (connection.isOpen()) {
              lose(to, when, String.valueOf(e.getCause()));
              return;
            }
            throw new IOException(String.valueOf(e.getCause()), e);
          }
        }
        agent.wake();
        return;
      } catch (IOException e) {
        reason = String.valueOf(e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        reason = "Asking was interrupted.";
      }
    }
    lose(to, when, reason);
  }

  /** Sends bytes to a member without waiting; runs the action once they have been taken. */
  public void send(int to, String name, ByteBuffer bytes, Runnable delivered) {
    TransferHeader header =
        new TransferHeader(UUID.randomUUID(), group, generation, Name.of(name), bytes.remaining());
    if (connections.isOpen(members.get(to))) {
      send(to, header, bytes, 0, delivered);
    } else {
      background.execute(() -> send(to, header, bytes, 0, delivered));
    }
  }

  private void send(
      int to, TransferHeader header, ByteBuffer bytes, int attempt, Runnable delivered) {
    if (header.generation() != generation) {
      return;
    }
    Connection connection;
    try {
      connection = connection(to);
    } catch (IOException e) {
      lose(to, header.generation(), String.valueOf(e.getMessage()));
      return;
    }
    Transfer transfer = connection.send(header, bytes.duplicate());
    underway.add(transfer);
    var unused =
        transfer
            .outcome()
            .thenAccept(
                outcome -> {
                  over(transfer);
                  if (outcome.delivered()) {
                    delivered.run();
                    agent.wake();
                  } else if (outcome.resumable() && attempt == 0) {
                    background.execute(() -> send(to, header, bytes, 1, delivered));
                  } else {
                    lose(to, header.generation(), outcome.reason());
                  }
                });
  }

  private void over(Transfer transfer) {
    moved.addAndGet(transfer.acknowledged());
    underway.remove(transfer);
  }

  /** Fetches what a member has under this name into these buffers; true if all of it came. */
  public CompletableFuture<Boolean> fetch(int from, String name, ByteBuffer... into) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    long when = generation;
    background.execute(
        () -> {
          try {
            Transfer transfer = begin(when, connection(from), name, into);
            TransferOutcome outcome = transfer.outcome().join();
            over(transfer);
            if (!outcome.delivered()) {
              lose(from, when, outcome.reason());
            }
            done.complete(outcome.delivered());
          } catch (IOException e) {
            lose(from, when, String.valueOf(e.getMessage()));
            done.complete(false);
          }
          agent.wake();
        });
    return done;
  }

  /** Begins a fetch in its generation only: who calls all off must know of it. */
  private Transfer begin(long when, Connection from, String name, ByteBuffer... into)
      throws IOException {
    synchronized (losing) {
      if (when != generation) {
        throw new IOException("Generation " + when + " is over.");
      }
      Transfer transfer = from.fetch(Name.of(name), TransferProgress.NONE, into);
      underway.add(transfer);
      return transfer;
    }
  }

  /**
   * Calls off all that is under way between this process and others; nothing touches the buffers
   * afterwards.
   */
  public void quiet() throws InterruptedException {
    synchronized (losing) {
      generation = -1;
    }
    List<Transfer> running = List.copyOf(underway);
    running.forEach(transfer -> transfer.cancel("A newer generation has begun."));
    running.forEach(transfer -> transfer.outcome().join());
    arrivals.awaitNone(PATIENCE, REQUEST);
  }

  @Override
  public void close() {
    connections.close();
    server.close();
  }
}
