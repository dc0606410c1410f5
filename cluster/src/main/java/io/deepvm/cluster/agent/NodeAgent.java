package io.deepvm.cluster.agent;

import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.CoordinatorLink;
import io.deepvm.places.notice.Notice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The agent of a node: feeds its {@link AgentMachine} and carries out what it wants, with real
 * processes, files and a link to the coordinator. All of that happens in one thread.
 */
public final class NodeAgent implements AutoCloseable {

  /** How late the machine may learn that a process wrote something. */
  private static final long WROTE_MS = 100;

  /** Longest wait at the end for the coordinator to receive the last status. */
  private static final Duration LAST_STATUS = Duration.ofSeconds(2);

  /** Longest wait at the end for the coordinator to receive the next part of the output. */
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(5);

  private final String host;
  private final boolean watchesSilence;
  private final CoordinatorLink link;
  private final AgentMachine machine;
  private final TrainingProcesses processes;
  private final NoticeFile noticeFile;
  private final PrintedOutput output;
  private final Hands hands = new Hands();
  private final ScheduledThreadPoolExecutor loop;
  private final AtomicBoolean wrote = new AtomicBoolean();
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private long sentVersion;
  private @Nullable Future<?> wake;

  /** Makes an agent of a node; {@link #start} lets it work. */
  public NodeAgent(NodeStart start, Work work, CoordinatorLink link, Launcher launcher) {
    this.host = start.host();
    this.watchesSilence = work.kind() == Work.Kind.COMMAND && work.timeouts().silenceSeconds() > 0;
    this.link = link;
    this.noticeFile = new NoticeFile(start.folder());
    this.output = new PrintedOutput(link);
    this.processes =
        new TrainingProcesses(start, work, launcher, this::post, this::wrote, output::add);
    long bootMs = Math.max(0, start.machine().readyAtMs() - System.currentTimeMillis());
    this.machine = new AgentMachine(start.node(), host, work, nowMs() + bootMs, nowMs());
    this.loop = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("agent"));
    loop.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    loop.setRemoveOnCancelPolicy(true);
  }

  /** Begins to follow the coordinator's orders. */
  public void start() {
    post(new AgentInput.Woke());
    link.start(
        new CoordinatorLink.Listener() {
          @Override
          public void orders(AgentOrders orders) {
            output.show(orders.show());
            post(new AgentInput.Ordered(orders));
          }

          @Override
          public void received(long number) {
            output.received(number);
          }
        });
  }

  /** Waits until the agent has ended, and returns why. */
  public String await() throws InterruptedException {
    try {
      return end.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("The end of an agent never fails.", e);
    }
  }

  /** Waits this long for the agent to end, and returns whether it has. */
  public boolean await(Duration patience) throws InterruptedException {
    try {
      String unused = end.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** Announces to the training process and the coordinator that this machine will be taken. */
  public void noticed(Notice notice) {
    post(
        new AgentInput.Noticed(
            words(notice),
            notice.leadSeconds(Instant.now()),
            notice.certain() ? AgentInput.Certainty.CERTAIN : AgentInput.Certainty.HINT));
  }

  /** Announces to them that this notice was withdrawn. */
  public void withdrawn(Notice notice) {
    post(new AgentInput.Withdrawn(words(notice)));
  }

  private static String words(Notice notice) {
    return notice.source() + " " + notice.action();
  }

  /** Takes a request to end this process as a notice; the agent ends itself after this time. */
  public void terminate(double leadSeconds) {
    post(new AgentInput.Noticed("SIGTERM", leadSeconds, AgentInput.Certainty.FINAL));
  }

  /** Ends the training process at once, and the agent. */
  @Override
  public void close() {
    finish("closed");
  }

  /** Lets the coordinator receive the last status and output, and closes the link. */
  public void release() throws InterruptedException {
    boolean unused = loop.awaitTermination(LAST_STATUS.toMillis(), TimeUnit.MILLISECONDS);
    link.flush(LAST_STATUS);
    output.awaitEmpty(LAST_OUTPUT);
    link.close();
  }

  private void post(AgentInput input) {
    try {
      loop.execute(() -> take(input));
    } catch (RejectedExecutionException e) {
      // The agent has ended.
    }
  }

  /** Reports output to the machine a little later, once for all output until then. */
  private void wrote(int process) {
    if (watchesSilence && wrote.compareAndSet(false, true)) {
      try {
        var unused =
            loop.schedule(
                () -> {
                  wrote.set(false);
                  take(new AgentInput.Wrote(process));
                },
                WROTE_MS,
                TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        // The agent has ended.
      }
    }
  }

  private void take(AgentInput input) {
    try {
      for (AgentAction action : machine.take(input, nowMs())) {
        action.accept(hands);
      }
      if (machine.status().version() != sentVersion) {
        sentVersion = machine.status().version();
        link.send(machine.status());
      }
      if (!loop.isShutdown()) {
        wakeLater();
      }
    } catch (RuntimeException | Error e) {
      // An agent that went on after this would only seem to work.
      finish(String.valueOf(e));
    }
  }

  private void wakeLater() {
    if (wake != null) {
      wake.cancel(false);
    }
    long pause = Math.max(0, machine.nextWakeMs() - nowMs());
    wake = loop.schedule(() -> take(new AgentInput.Woke()), pause, TimeUnit.MILLISECONDS);
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  /** Ends the process first, then everything else; called by any thread. */
  private void finish(String why) {
    processes.kill();
    end.complete(why);
    loop.shutdown();
  }

  /** Carries out what the machine wants. */
  private final class Hands implements AgentAction.Visitor {

    @Override
    public void launch(AgentAction.Launch action) {
      processes.launch(action.process(), action.generation());
    }

    @Override
    public void tell(AgentAction.Tell action) {
      processes.tell(action.order());
    }

    @Override
    public void signal(AgentAction.Signal action) {
      processes.signal(action.name());
    }

    @Override
    public void stop(AgentAction.Stop action) {
      processes.stop(action.reason(), action.patienceSeconds());
    }

    @Override
    public void kill(AgentAction.Kill action) {
      processes.kill();
    }

    @Override
    public void writeNotice(AgentAction.WriteNotice action) {
      noticeFile.write(action.leadSeconds());
    }

    @Override
    public void deleteNotice(AgentAction.DeleteNotice action) {
      noticeFile.delete();
    }

    @Override
    public void pickPort(AgentAction.PickPort action) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
        post(new AgentInput.PortPicked(action.generation(), socket.getLocalPort()));
      } catch (IOException e) {
        throw new UncheckedIOException("no port is free", e);
      }
    }

    @Override
    public void end(AgentAction.End action) {
      finish(action.reason());
    }
  }
}
