package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.Assembly;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.ClosingReport;
import io.deepvm.checkpoint.LocalAssembly;
import io.deepvm.checkpoint.Metrics;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.FaultPoints;
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
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * A service on a node that saves and restores for training in another language, such as a PyTorch
 * script. Words go through a Unix socket that only its owner can reach; tensors go through shared
 * memory, where the client's one copy is the staged state. One client at a time saves: each gets a
 * generation of its own, and a new one takes the place of the one before.
 */
public final class CheckpointService implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(CheckpointService.class.getName());
  private static final int MOST_CONNECTIONS = 16;
  private static final Duration LOCK_PAUSE = Duration.ofMillis(50);
  private static final int RESTORE_THREADS = 2;
  private static final String BINDING = ".new";

  /** What a client said before it died is on its way for hardly longer than this. */
  static final Duration LAST_WORDS = Duration.ofSeconds(1);

  /** Longest wait of replaced ranks for the parts of ranks on other nodes. */
  private static final Duration DRAIN_WITH_OTHERS = Duration.ofSeconds(5);

  private final AgentOptions options;
  private final AgentClaims claims;
  private final UserPrincipal own;
  private final FileChannel lockFile;
  private final SharedFolder shared;
  private final RestoredFiles restored;
  private final ServerSocketChannel server;
  private final Thread acceptor = DaemonThreads.of("deepvm-agent-accept", this::accept);
  private final Set<ClientConversation> conversations = ConcurrentHashMap.newKeySet();

  /** Held while sessions begin and end. */
  private final ReentrantLock turn = new ReentrantLock();

  private final Tally tally = new Tally();
  private final AtomicLong fallbacks = new AtomicLong();
  private final @Nullable Assembly meeting;
  private final String home;
  private @Nullable SessionGroup present;
  private volatile boolean closed;

  /** Takes the socket; {@link #start} opens it. The tiers stay the caller's to close. */
  public CheckpointService(AgentOptions options) throws IOException, InterruptedException {
    this(options, null);
  }

  /**
   * Takes the socket; {@link #start} opens it.
   *
   * @param meeting where ranks of all nodes meet; null if all ranks save through this agent
   */
  public CheckpointService(AgentOptions options, @Nullable Assembly meeting)
      throws IOException, InterruptedException {
    this.options = options;
    this.meeting = meeting;
    Checkpoints checkpoints = new Checkpoints(options.tiers(), RESTORE_THREADS);
    this.claims = new AgentClaims(options.job(), options.tiers(), checkpoints);
    Path socket = options.socket().toAbsolutePath().normalize();
    Path folder = socket.getParent();
    if (folder == null) {
      throw new BadInput("%s is no place for a socket.".formatted(socket), "Maybe name a file.");
    }
    own = Files.getOwner(OwnFolder.at(folder));
    home = machine() + ":" + socket;
    lockFile = PrivateFiles.openLock(socket.resolveSibling(socket.getFileName() + ".lock"));
    boolean open = false;
    try {
      lock(socket);
      shared = new SharedFolder(options.shared(), socket);
      restored = new RestoredFiles(checkpoints, options.job(), shared);
      // better now than when the first client asks for it
      Path unused = shared.withRoomFor(options.memory().bytes());
      server = listen(socket);
      open = true;
    } finally {
      if (!open) {
        lockFile.close();
      }
    }
  }

  /** Opens the socket, which has its name only once it is closed to others: clients look. */
  private static ServerSocketChannel listen(Path socket) throws IOException {
    Path unnamed = socket.resolveSibling(BINDING);
    // an earlier agent on either is dead: the lock is ours
    Files.deleteIfExists(unnamed);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(unnamed), MOST_CONNECTIONS);
      Files.setPosixFilePermissions(unnamed, PosixFilePermissions.fromString("rw-------"));
      Files.move(unnamed, socket, StandardCopyOption.ATOMIC_MOVE);
      return server;
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  /** Returns where the socket is when nobody says otherwise. */
  public static Path usualSocket() throws IOException {
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    Path folder =
        runtime == null || runtime.isEmpty()
            ? Path.of("/tmp", "deepvm-" + PrivateFiles.user())
            : Path.of(runtime, "deepvm");
    return folder.resolve("agent.sock");
  }

  /**
   * Returns the id that the kernel gave this machine when it started; empty where there is none.
   */
  private static String machine() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      return "";
    }
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
        } else if (!own.equals(channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user())) {
          LOG.log(System.Logger.Level.WARNING, "A client of another user was turned away.");
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
    ClientConversation conversation =
        new ClientConversation(this, options, new Frames(channel, options.greeting()));
    conversations.add(conversation);
    Thread thread =
        DaemonThreads.of(
            "deepvm-agent-client",
            () -> {
              try {
                conversation.run();
              } finally {
                conversations.remove(conversation);
              }
            });
    thread.start();
  }

  /** Returns the name of this agent, by which ranks find out whether they share it. */
  String home() {
    return home;
  }

  /**
   * Begins a session. One that brings no claim takes the place of all present ones, whose staged
   * saves are written first; a rank that brings theirs joins them.
   */
  ClientSession begin(ClientConversation conversation, Joining joining)
      throws IOException, Fenced, InterruptedException {
    turn.lockInterruptibly();
    try {
      if (closed) {
        throw new IOException("The agent is ending.");
      }
      SessionGroup joined = makeRoom(joining);
      // before a generation is claimed: a client that gets no memory comes again
      SharedArena arena =
          new SharedArena(shared.place("arena", options.memory().bytes()), options.memory());
      boolean begun = false;
      try {
        SessionGroup group = joined == null ? group(joining) : joined;
        ClientSession session = session(group, joining, arena);
        group.add(joining.worker(), session, conversation);
        begun = true;
        return session;
      } finally {
        if (!begun) {
          arena.close();
        }
      }
    } finally {
      turn.unlock();
    }
  }

  /** Ends the sessions that a client replaces, and returns those that it joins, if any. */
  private @Nullable SessionGroup makeRoom(Joining joining)
      throws IOException, Fenced, InterruptedException {
    if (meeting == null && joining.home() != null && !joining.home().equals(home)) {
      throw new BadInput(
          "Rank %d saves through another agent than rank 0, and they share no anchor."
              .formatted(joining.worker()),
          "Maybe give the agents of all nodes the same --anchor.");
    }
    SessionGroup group = present;
    if (group != null && group.takes(joining)) {
      group.end(joining.worker(), null, drain(group));
      return group;
    }
    Claim brought = joining.claim();
    claims.check(joining);
    // with a claim that was brought, a newer generation has begun: nothing older is committed any
    // more
    endPresent(brought == null ? drain(present) : Duration.ZERO);
    return null;
  }

  /** Begins the sessions of a generation. */
  private SessionGroup group(Joining joining) throws IOException, Fenced {
    // only now: another session may have begun somewhere else while this one was written
    Claim claim = claims.claim(joining);
    Assembly assembly = meeting == null ? new LocalAssembly(InstantSource.system()) : meeting;
    SessionGroup group = new SessionGroup(claim, joining.workers(), assembly, options.tiers());
    present = group;
    return group;
  }

  private ClientSession session(SessionGroup group, Joining joining, SharedArena arena) {
    int worker = joining.worker();
    CheckpointEngine engine =
        new CheckpointEngine(
            options.engine(group.claim()).withWorker(worker, joining.workers()),
            options.tiers(),
            group.assembly(),
            FaultPoints.NONE,
            System::nanoTime);
    engine.start(arena);
    Supplier<Metrics> figures = engine::metrics;
    tally.begin(figures);
    return new ClientSession(
        group.claim(),
        engine,
        arena,
        new ClientSession.Ends() {
          @Override
          public void staged(Ticket ticket) {
            group.staged(worker, ticket);
          }

          @Override
          public void ended() {
            tally.end(figures);
          }
        });
  }

  private Duration drain(@Nullable SessionGroup group) {
    // when another node is lost, nothing here says that its part will not come
    boolean waits = meeting != null && group != null && group.isShared();
    return waits && options.drain().compareTo(DRAIN_WITH_OTHERS) > 0
        ? DRAIN_WITH_OTHERS
        : options.drain();
  }

  /** Ends the present sessions, if any: clients are cut off, what they have staged is written. */
  private @Nullable ClosingReport endPresent(Duration drain)
      throws IOException, InterruptedException {
    SessionGroup ended = present;
    present = null;
    return ended == null ? null : ended.endAll(drain);
  }

  /** Returns how saving goes, over all sessions. */
  public Metrics metrics() {
    return tally.sum();
  }

  /** Returns how often a restore had to pass over a newer version or a nearer copy. */
  public long restoreFallbacks() {
    return fallbacks.get();
  }

  /** Ends the session of a rank whose client has gone. */
  void end(int worker, ClientSession session) throws IOException, InterruptedException {
    turn.lockInterruptibly();
    try {
      SessionGroup group = present;
      if (group != null) {
        group.end(worker, session, drain(group));
        present = group.isEmpty() && !group.isShared() ? null : group;
      }
    } finally {
      turn.unlock();
    }
  }

  /**
   * Writes a checkpoint into a file for the client.
   *
   * @return null when there is none at all
   */
  RestoredFiles.@Nullable Found restore(Wanted wanted) throws IOException, InterruptedException {
    // what a client that has just died has staged counts, so its session ends first
    turn.lockInterruptibly();
    try {
      RestoredFiles.Found found = restored.restore(wanted);
      if (found != null && !found.problems().isEmpty()) {
        fallbacks.incrementAndGet();
      }
      return found;
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
      for (ClientConversation conversation : conversations) {
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
