package io.deepvm.cluster.agent;

import io.deepvm.cluster.keeper.Generation;
import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.cluster.keeper.Registration;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import io.deepvm.cluster.wire.AgentDoor;
import io.deepvm.cluster.wire.Command;
import io.deepvm.cluster.wire.Message;
import io.deepvm.units.PrivateFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Looks after one node's training processes: starts them, tells them each generation, tells the
 * coordinator what they report and print, and ends them when the node is not needed, counts as
 * lost, or finds no coordinator. All that changes an agent happens in one thread.
 */
public final class Agent implements AutoCloseable {

  private static final long WATCH_MS = 250;
  private static final long POLL_MS = 20;

  /** Longest wait at the end for the coordinator to receive the next part of the output. */
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(5);

  private final AgentStart start;
  private final Work work;
  private final Keeper keeper;
  private final Launcher launcher;
  private final ScheduledExecutorService loop =
      Executors.newScheduledThreadPool(1, daemons("agent"));
  private final ExecutorService former = Executors.newCachedThreadPool(daemons("former"));
  private final ExecutorService sender = Executors.newSingleThreadExecutor(daemons("output"));
  private final OutputQueue output = new OutputQueue();
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private final AgentDoor door;

  // What the next coordinator has to be told, the newest of each kind.
  private final Map<String, Message> news = new LinkedHashMap<>();

  private Registration registration;
  private volatile @Nullable Child child;
  private volatile boolean ending;
  private int incarnation;
  private int dismissed;
  private long launchedNanos;
  private boolean awaitsReady;
  private boolean member;
  private @Nullable Generation generation;
  private @Nullable Future<?> forming;
  private boolean silent;
  private volatile long wroteNanos;
  private volatile long heardNanos = System.nanoTime();

  /** Makes an agent of a node; {@link #start} lets it work. */
  public Agent(AgentStart start, Work work, Keeper keeper, String token, Launcher launcher)
      throws IOException {
    this.start = start;
    this.work = work;
    this.keeper = keeper;
    this.launcher = launcher;
    this.door = AgentDoor.open(start.host(), token, this::news, this::hear);
    this.registration =
        new Registration(start.node(), start.role(), start.host(), door.port(), 0, false, 0);
  }

  /** Registers the node and begins to follow the generations. */
  public void start() throws IOException {
    keeper.onExpired(this::expired);
    keeper.register(registration);
    keeper.watchGenerations(next -> post(() -> follow(next)));
    if (work.kind() == Work.Kind.MEMBER) {
      post(this::launchMember);
    } else {
      post(() -> ready(0, 0));
    }
    Future<?> watch =
        loop.scheduleWithFixedDelay(this::watch, WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
    var unused = end.whenComplete((why, failure) -> watch.cancel(false));
  }

  /** Waits until the agent has ended, and returns why. */
  public String await() throws InterruptedException {
    try {
      return end.get();
    } catch (ExecutionException e) {
      return String.valueOf(e.getCause());
    }
  }

  /** Waits so long for the agent to end, and returns whether it has. */
  public boolean await(Duration patience) throws InterruptedException {
    try {
      String why = end.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return !why.isEmpty();
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** Ends the training process at once, and the agent. */
  @Override
  public void close() {
    finish("closed");
  }

  // --- What the coordinator says ---

  private void hear(Command command) {
    heardNanos = System.nanoTime();
    if (command instanceof Command.Show show) {
      send(output.want(show.ranks()));
    } else if (command instanceof Command.Received received) {
      send(output.received(received.number()));
    } else if (!(command instanceof Command.Here)) {
      post(() -> obey(command));
    }
  }

  /** Sends the next output in a thread that may block, where there is some to send. */
  private void send(boolean due) {
    if (due) {
      sender.execute(
          () -> {
            PrintedLines next = output.next();
            if (next != null) {
              door.tell(new Message.Printed(next));
            }
          });
    }
  }

  private void obey(Command command) throws IOException {
    Child running = child;
    if (command instanceof Command.Notice notice) {
      notice(notice.leadSeconds());
    } else if (command instanceof Command.Spare) {
      Files.deleteIfExists(noticeFile());
    } else if (command instanceof Command.Restart) {
      if (running == null && work.kind() == Work.Kind.MEMBER) {
        launchMember();
      }
    } else if (command instanceof Command.Kill kill) {
      giveUp(kill.reason());
    } else if (command instanceof Command.Stop stop) {
      ending = true;
      cancelForming();
      // Beside this thread, which still has to pass on what the process saves at its end.
      former.execute(() -> end(running, stop.reason()));
    }
  }

  private void end(@Nullable Child running, String reason) {
    if (running != null) {
      running.stop(reason, seconds(work.timeouts().stopSeconds()));
    }
    finish(reason);
  }

  private Path noticeFile() {
    return Path.of(start.folder(), Surroundings.NOTICE_FILE);
  }

  private void notice(double leadSeconds) throws IOException {
    Path fresh = Path.of(start.folder(), Surroundings.NOTICE_FILE + ".new");
    PrivateFiles.write(
        fresh,
        "{\"action\":\"terminate\",\"leadSeconds\":%s,\"atMs\":%d}\n"
            .formatted(leadSeconds, System.currentTimeMillis()));
    Files.move(
        fresh, noticeFile(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Child running = child;
    if (running == null) {
      return;
    }
    if (work.kind() == Work.Kind.MEMBER) {
      running.order(new Order.Notice(leadSeconds));
    } else if (!work.noticeSignal().isEmpty()) {
      running.signal(work.noticeSignal());
    }
  }

  // --- Generations ---

  private void follow(Generation next) {
    Generation current = generation;
    if (ending || (current != null && next.number() <= current.number())) {
      return;
    }
    int rank = next.rank(start.node());
    if (rank < 0) {
      if (member) {
        finish("generation %d has no place for this node".formatted(next.number()));
      }
      return;
    }
    generation = next;
    if (work.kind() == Work.Kind.MEMBER && next.members().get(rank).port() != registration.port()) {
      // It is of a process that has ended, which the coordinator did not know yet and must hear.
      return;
    }
    member = true;
    synchronized (news) {
      news.keySet().removeAll(List.of("launched", "exited", "formed", "silent"));
    }
    if (work.kind() == Work.Kind.MEMBER) {
      Child running = child;
      if (running != null) {
        running.order(new Order.Form(next.number(), rank, next.members()));
      }
    } else {
      cancelForming();
      dismissed = incarnation;
      forming = former.submit(() -> form(next, rank));
    }
  }

  private void cancelForming() {
    if (forming != null) {
      forming.cancel(true);
    }
  }

  /** Ends the old command, waits until all members have, and starts the new one. */
  private void form(Generation next, int rank) {
    try {
      Child old = child;
      if (old != null) {
        old.stop("the next generation", seconds(work.timeouts().stopSeconds()));
      }
      Duration patience = seconds(work.timeouts().meetSeconds());
      int port =
          keeper.meet(next.number(), next.members().size(), patience)
              ? agree(next.number(), rank, patience)
              : -1;
      if (port < 0) {
        tell("missed", new Message.Missed(next.number()));
      } else {
        post(() -> launchCommand(next, port));
      }
    } catch (InterruptedException e) {
      // A newer generation is on its way.
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      if (!Thread.currentThread().isInterrupted()) {
        tell("missed", new Message.Missed(next.number()));
      }
    }
  }

  /** Returns the port on the first member's node where all meet; -1 when it is not told. */
  private int agree(long number, int rank, Duration patience)
      throws IOException, InterruptedException {
    if (rank == 0) {
      int port = freePort();
      keeper.putPort(number, port);
      return port;
    }
    long until = System.nanoTime() + patience.toNanos();
    int port = keeper.port(number);
    while (port < 0 && System.nanoTime() < until) {
      Thread.sleep(POLL_MS);
      port = keeper.port(number);
    }
    return port;
  }

  private int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(start.host()))) {
      return socket.getLocalPort();
    }
  }

  // --- The training process ---

  private void launchMember() {
    awaitsReady = true;
    launch(List.of(Surroundings.of(start, work)), 0);
  }

  private void launchCommand(Generation next, int port) {
    if (ending || generation == null || generation.number() != next.number()) {
      return;
    }
    if (launch(Surroundings.ofEach(start, work, next, port), next.firstRank(start.node()))) {
      tell("launched", new Message.Launched(next.number()));
    }
  }

  /** Starts a process for each environment, of this rank and those after it. */
  private boolean launch(List<Map<String, String>> environments, int firstRank) {
    int number = ++incarnation;
    launchedNanos = System.nanoTime();
    wroteNanos = launchedNanos;
    silent = false;
    synchronized (news) {
      news.remove("exited");
    }
    try {
      child =
          ProcessGroup.launch(
              launcher,
              work.command(),
              environments,
              seconds(work.timeouts().stopSeconds()),
              new ProcessGroup.Listener() {
                @Override
                public void wrote() {
                  wroteNanos = System.nanoTime();
                }

                @Override
                public void reported(String line) {
                  post(() -> Agent.this.reported(line, number));
                }

                @Override
                public void printed(int localRank, PrintedLine.Pipe pipe, String text) {
                  if (work.kind() == Work.Kind.COMMAND) {
                    send(output.add(new PrintedLine(firstRank + localRank, pipe, text)));
                  }
                }

                @Override
                public void exited(ProcessGroup.Exit exit) {
                  post(() -> ended(number, exit));
                }
              });
      return true;
    } catch (IOException e) {
      ended(number, new ProcessGroup.Exit(null, 127, String.valueOf(e.getMessage())));
      return false;
    }
  }

  private void reported(String line, int number) throws IOException {
    Report report = Lines.report(line);
    boolean last = ending && !(report instanceof Report.Saved);
    if (report == null || number != incarnation || last) {
      return;
    }
    if (report instanceof Report.Ready ready) {
      awaitsReady = false;
      ready(ready.port(), number);
      return;
    }
    String kind =
        report instanceof Report.Formed
            ? "formed"
            : report instanceof Report.Saved saved ? "saved " + saved.state() : simple(report);
    tell(kind, new Message.Said(report));
  }

  /** Says that the node can join, once it has booted for as long as it shall. */
  private void ready(int port, int number) throws IOException {
    long early = start.readyAtMs() - System.currentTimeMillis();
    if (early > 0) {
      var unused = loop.schedule(step(() -> ready(port, number)), early, TimeUnit.MILLISECONDS);
    } else if (number == incarnation && !ending && (number == 0 || child != null)) {
      registration = registration.with(port, true, number);
      keeper.register(registration);
    }
  }

  private static String simple(Report report) {
    return report.getClass().getSimpleName();
  }

  private void ended(int number, ProcessGroup.Exit exit) {
    // One that was ended for the next generation has nothing to tell.
    if (number != incarnation || number == dismissed || ending) {
      return;
    }
    child = null;
    awaitsReady = false;
    long worked = generation == null ? 0 : generation.number();
    if (work.kind() == Work.Kind.MEMBER) {
      // Whoever takes its place is another process: this node is no member until then.
      member = false;
      registration = registration.with(0, false, number);
      try {
        keeper.register(registration);
      } catch (IOException e) {
        finish("ZooKeeper is out of reach: " + e.getMessage());
        return;
      }
    }
    tell("exited", new Message.Exited(number, worked, exit.code(), exit.tail(), exit.localRank()));
  }

  private void watch() {
    long now = System.nanoTime();
    if (now - heardNanos > seconds(work.timeouts().orphanSeconds()).toNanos()) {
      finish("no coordinator for %s s".formatted(work.timeouts().orphanSeconds()));
      return;
    }
    if (awaitsReady && now - launchedNanos > seconds(work.timeouts().readySeconds()).toNanos()) {
      giveUp(
          "The training process did not get ready within %s s."
              .formatted(work.timeouts().readySeconds()));
    }
    watchSilence(now);
  }

  /** Ends a process that does not do what it should, and tells why it ended. */
  private void giveUp(String why) {
    Child running = child;
    if (running != null) {
      running.kill();
      ended(incarnation, new ProcessGroup.Exit(null, -1, why));
      dismissed = incarnation;
    }
  }

  /** Tells when a command falls silent, and when it speaks again. */
  private void watchSilence(long now) {
    double bound = work.timeouts().silenceSeconds();
    Generation current = generation;
    if (work.kind() == Work.Kind.COMMAND
        && bound > 0
        && current != null
        && child != null
        && incarnation != dismissed) {
      boolean before = silent;
      silent = now - wroteNanos > seconds(bound).toNanos();
      if (silent != before) {
        tell("silent", new Message.Silent(current.number(), silent));
      }
    }
  }

  // --- The end ---

  /** The node counts as lost, so nothing it still does may be seen by others. */
  private void expired() {
    finish("the session expired: this node counts as lost");
  }

  /** Ends the process first, then everything else; called by any thread. */
  private void finish(String why) {
    ending = true;
    Child running = child;
    if (running != null) {
      running.kill();
    }
    end.complete(why);
    former.shutdownNow();
    loop.shutdown();
  }

  /** Lets go of the connections after the end. */
  public void release() throws IOException, InterruptedException {
    // What the process said last is still on its way to the coordinator.
    boolean unused = loop.awaitTermination(WATCH_MS, TimeUnit.MILLISECONDS);
    output.awaitEmpty(LAST_OUTPUT);
    sender.shutdownNow();
    door.close();
    keeper.close();
  }

  private void tell(String kind, Message message) {
    synchronized (news) {
      news.remove(kind);
      news.put(kind, message);
    }
    door.tell(message);
  }

  private List<Message> news() {
    heardNanos = System.nanoTime();
    List<Message> all;
    synchronized (news) {
      all = new ArrayList<>(news.values());
    }
    PrintedLines underway = output.underway();
    if (underway != null) {
      all.add(new Message.Printed(underway));
    }
    return all;
  }

  /** A step of the agent's thread. */
  private interface Step {
    void run() throws IOException;
  }

  private void post(Step step) {
    try {
      loop.execute(step(step));
    } catch (RejectedExecutionException e) {
      // The agent has ended.
    }
  }

  /** Returns the step as a task that ends the agent when it fails. */
  private Runnable step(Step step) {
    return () -> {
      try {
        step.run();
      } catch (IOException | RuntimeException e) {
        finish(String.valueOf(e));
      }
    };
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
