package io.deepvm.checkpoint.agent;

import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.ClosingReport;
import io.deepvm.checkpoint.Metrics;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A service on a node that saves and restores for training in another language, such as a PyTorch
 * script. Words go through a Unix socket that only its owner can reach; tensors go through shared
 * memory, where the client's one copy is the staged state. One client at a time saves: each gets a
 * generation of its own, and a new one takes the place of the one before.
 */
public final class Agent implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Agent.class.getName());
  private static final int MOST_CONNECTIONS = 16;
  private static final Duration LOCK_PAUSE = Duration.ofMillis(50);
  private static final int RESTORE_THREADS = 2;

  /** How often other agents may be quicker. */
  private static final int CLAIMS = 100;

  /** What a client said before it died is on its way for hardly longer than this. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  /** The client that may save. */
  private record Present(Session session, Conversation conversation) {}

  private final AgentOptions options;
  private final Checkpoints checkpoints;
  private final FileChannel lockFile;
  private final SharedFolder shared;
  private final ServerSocketChannel server;
  private final Thread acceptor = new Thread(this::accept, "deepvm-agent-accept");
  private final Set<Conversation> conversations = ConcurrentHashMap.newKeySet();

  /** Held while sessions begin and end. */
  private final ReentrantLock turn = new ReentrantLock();

  private final Tally tally = new Tally();
  private final AtomicLong fallbacks = new AtomicLong();
  private @Nullable Present present;
  private long generation;
  private volatile boolean closed;

  /** Takes the socket; {@link #start} opens it. The tiers stay the caller's to close. */
  public Agent(AgentOptions options) throws IOException, InterruptedException {
    this.options = options;
    this.checkpoints = new Checkpoints(options.tiers(), RESTORE_THREADS);
    Path socket = options.socket().toAbsolutePath().normalize();
    Path folder = socket.getParent();
    if (folder == null) {
      throw new BadInput("%s is no place for a socket.".formatted(socket), "Maybe name a file.");
    }
    OwnFolder.at(folder);
    lockFile =
        FileChannel.open(
            socket.resolveSibling(socket.getFileName() + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    boolean open = false;
    try {
      lock(socket);
      shared = new SharedFolder(options.shared(), socket);
      // better now than when the first client asks for it
      Path unused = shared.withRoomFor(options.memory().bytes());
      // whoever had it is dead: the lock is ours
      Files.deleteIfExists(socket);
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket), MOST_CONNECTIONS);
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      open = true;
    } finally {
      if (!open) {
        lockFile.close();
      }
    }
    acceptor.setDaemon(true);
  }

  /** Returns where the socket is when nobody says otherwise. */
  public static Path usualSocket() throws IOException {
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    Path folder =
        runtime == null || runtime.isEmpty()
            ? Path.of("/tmp", "deepvm-" + OwnFolder.user())
            : Path.of(runtime, "deepvm");
    return folder.resolve("agent.sock");
  }

  private void lock(Path socket) throws IOException, InterruptedException {
    long end = System.nanoTime() + options.patience().toNanos();
    while (!tryLock()) {
      if (System.nanoTime() - end > 0) {
        throw new BadInput(
            "Another agent is running on %s.".formatted(socket),
            "Maybe end it first, or give this one another --socket.");
      }
      TimeUnit.NANOSECONDS.sleep(LOCK_PAUSE.toNanos());
    }
  }

  private boolean tryLock() throws IOException {
    try {
      FileLock lock = lockFile.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** Begins to answer. */
  public void start() {
    acceptor.start();
  }

  private void accept() {
    while (!closed) {
      try {
        SocketChannel channel = server.accept();
        if (closed || conversations.size() >= MOST_CONNECTIONS) {
          channel.close();
        } else {
          converse(channel);
        }
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | Error e) {
        // such as a thread that cannot be started: the next client may have more luck
        LOG.log(System.Logger.Level.WARNING, "A client could not connect: {0}", e.toString());
      }
    }
  }

  private void converse(SocketChannel channel) throws IOException {
    Conversation conversation =
        new Conversation(this, options, new Frames(channel, options.greeting()));
    conversations.add(conversation);
    Thread thread =
        new Thread(
            () -> {
              try {
                conversation.run();
              } finally {
                conversations.remove(conversation);
              }
            },
            "deepvm-agent-client");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Begins a session in place of the present one, whose staged saves are written first.
   *
   * @param after the generation of a client that was cut off and wants to go on; null for a new one
   */
  Session begin(Conversation conversation, @Nullable Long after)
      throws IOException, Fenced, InterruptedException {
    turn.lockInterruptibly();
    try {
      if (closed) {
        throw new IOException("The agent is ending.");
      }
      checkNewest(after);
      endPresent(options.drain());
      // only now: another session may have begun somewhere else while this one was written
      Claim claim = claim(after);
      SharedArena arena =
          new SharedArena(shared.place("arena", options.memory().bytes()), options.memory());
      CheckpointEngine engine = new CheckpointEngine(options.engine(claim), options.tiers());
      engine.start(arena);
      tally.begin(engine::metrics);
      Session session = new Session(claim.generation(), engine, arena);
      present = new Present(session, conversation);
      return session;
    } finally {
      turn.unlock();
    }
  }

  /**
   * Returns the newest generation, unless it is newer than that of a client that wants to go on.
   */
  private long checkNewest(@Nullable Long after) throws IOException, Fenced {
    long newest = Math.max(generation, checkpoints.newestGeneration(options.job()));
    if (after != null && newest > after) {
      throw new Fenced(newest);
    }
    return newest;
  }

  /** Claims the next generation, or the one after if another agent was quicker. */
  private Claim claim(@Nullable Long after) throws IOException, Fenced {
    Tier last = options.tiers().get(options.tiers().size() - 1);
    for (int attempt = 1; ; attempt++) {
      Claim claim = Claim.of(checkNewest(after) + 1);
      try {
        last.claim(options.job(), claim);
        generation = claim.generation();
        return claim;
      } catch (StaleGeneration e) {
        if (attempt == CLAIMS) {
          throw e;
        }
      }
    }
  }

  /** Ends the present session, if any: the client is cut off, what it has staged is written. */
  private @Nullable ClosingReport endPresent(Duration drain)
      throws IOException, InterruptedException {
    Present ended = present;
    present = null;
    if (ended == null) {
      return null;
    }
    try {
      ended.conversation.end(LAST_WORDS);
      return ended.session.end(drain);
    } finally {
      tally.end();
    }
  }

  /** Returns how saving goes, over all sessions. */
  public Metrics metrics() {
    return tally.sum();
  }

  /** Returns how often a restore had to pass over a newer version or a nearer copy. */
  public long restoreFallbacks() {
    return fallbacks.get();
  }

  /** Ends a session whose client has gone. */
  void end(Session session) throws IOException, InterruptedException {
    turn.lockInterruptibly();
    try {
      if (present != null && present.session == session) {
        endPresent(options.drain());
      }
    } finally {
      turn.unlock();
    }
  }

  /**
   * A checkpoint in a file of shared memory.
   *
   * @param problems what kept newer or nearer ones from being used
   */
  record Found(Version version, Path file, Map<String, String> metadata, List<String> problems) {}

  /**
   * Writes the newest checkpoint that is whole into a file for the client.
   *
   * @return null when there is none at all
   */
  @Nullable Found restore() throws IOException, InterruptedException {
    // what a client that has just died has staged counts, so its session ends first
    turn.lockInterruptibly();
    try {
      Path[] file = new Path[1];
      Restored restored =
          checkpoints.exportNewest(
              options.job(), listed -> file[0] = shared.place("restored", listed.bytes()));
      if (restored == null) {
        return null;
      }
      if (!restored.passedOver().isEmpty()) {
        fallbacks.incrementAndGet();
      }
      Manifest manifest = restored.manifest();
      return new Found(
          manifest.version(), file[0], manifest.shards().get(0).metadata(), restored.passedOver());
    } catch (IOException e) {
      throw new BadInput(
          String.valueOf(e.getMessage()),
          "Maybe see 'deepvm checkpoint verify', or use another name to begin anew.");
    } finally {
      turn.unlock();
    }
  }

  /**
   * Takes no more, writes what is staged until the deadline, and ends.
   *
   * @return what is safe; null when no client was there
   */
  public @Nullable ClosingReport close(Duration drain) throws IOException, InterruptedException {
    closed = true;
    server.close();
    turn.lockInterruptibly();
    try {
      ClosingReport report = endPresent(drain);
      for (Conversation conversation : conversations) {
        conversation.close();
      }
      if (lockFile.isOpen()) {
        Files.deleteIfExists(options.socket());
        shared.close();
        lockFile.close();
      }
      return report;
    } finally {
      turn.unlock();
    }
  }

  /** Ends, with the usual time for what is staged. */
  @Override
  public void close() {
    try {
      close(options.drain());
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "The agent did not end well.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
