package io.deepvm.cli.checkpoint;

import io.deepvm.base.DaemonThreads;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.ClosingReport;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.Stores;
import io.deepvm.checkpoint.agent.AgentOptions;
import io.deepvm.checkpoint.agent.CheckpointService;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteAssembly;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.metrics.EngineMeters;
import io.deepvm.checkpoint.metrics.RestoreMeters;
import io.deepvm.checkpoint.metrics.Scrape;
import io.deepvm.checkpoint.tier.AnchoredStore;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.MetricsOption;
import io.deepvm.cli.options.SecurityOptions;
import io.deepvm.cli.options.SharedOption;
import io.deepvm.cli.options.Values;
import io.deepvm.transport.Security;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs an agent until it is stopped. */
@Command(
    name = "agent",
    description = "Saves and restores for a Python script on this node, which uses clients/python.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm checkpoint agent --to checkpoints --name resnet",
      "  deepvm checkpoint agent --to s3://bucket/prefix --memory 8GiB",
      "",
      "Needs shared memory (/dev/shm, else the temporary folder) of the size of --memory."
    })
@SuppressWarnings("NullAway.Init")
public final class CheckpointAgentCommand implements Callable<Integer> {

  @Option(
      names = "--to",
      required = true,
      paramLabel = "DIR|s3://BUCKET/PREFIX",
      defaultValue = "${env:DEEPVM_CHECKPOINT}",
      description = "Where checkpoints are kept (default: $DEEPVM_CHECKPOINT).")
  private String to;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The name they are kept under (default: ${DEFAULT-VALUE}).")
  private String job = "training";

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description =
          "The shared memory for states on their way, for each rank that saves through this agent;"
              + " twice a rank's state is best (default: 2GiB).")
  private DataSize memory = DataSize.parse("2GiB");

  @Option(
      names = "--anchor",
      paramLabel = "HOST:PORT",
      description = "An anchor that gets each state first (repeatable; two of them get copies).")
  private List<InetSocketAddress> anchors = new ArrayList<>();

  @Option(
      names = "--keep",
      paramLabel = "N",
      description = "Keep the last N checkpoints (default: ${DEFAULT-VALUE}).")
  private int keep = Retention.DEFAULT.last();

  @Option(
      names = "--keep-every",
      paramLabel = "N",
      description = "Keep also those whose step is a multiple of this.")
  private long keepEvery;

  @Option(
      names = "--behind",
      paramLabel = "RULE",
      description =
          "When storage is behind: coalesce drops the oldest saves that wait (default), skip leaves"
              + " the new one out, block lets training wait.")
  private Behind behind = Behind.COALESCE;

  @Option(
      names = "--socket",
      paramLabel = "FILE",
      defaultValue = "${env:DEEPVM_AGENT}",
      description =
          "Where the script finds the agent, in a folder that only you can enter (default:"
              + " $DEEPVM_AGENT, else a fixed place of yours).")
  private @Nullable Path socket;

  @Option(
      names = "--drain",
      converter = Values.OrNone.class,
      paramLabel = "DURATION",
      description = "How long to go on writing what is staged after SIGTERM (default: 60s).")
  private Duration drain = Duration.ofSeconds(60);

  @Option(
      names = "--attached",
      description =
          "End when standard input ends, as it does when the process that started it dies.")
  private boolean attached;

  @Mixin private SharedOption shared;

  @Mixin private MetricsOption metrics;

  @Mixin private SecurityOptions security;

  private final Terminal terminal;

  public CheckpointAgentCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    // first: a wrong address is refused before anything has begun
    try (Scrape scrape = metrics.open()) {
      run(scrape);
    }
    return Exit.DONE;
  }

  private void run(@Nullable Scrape scrape) throws IOException, InterruptedException {
    Path place = socket == null ? CheckpointService.usualSocket() : socket;
    Security way = security.security();
    List<AnchorClient> clients =
        anchors.stream().map(anchor -> AnchorClient.secured(anchor, way)).toList();
    AgentOptions usual = AgentOptions.of(place, job, memory, tiers(clients));
    CheckpointService agent =
        new CheckpointService(
            usual
                .withBehind(behind)
                .withRetention(new Retention(keep, keepEvery))
                .withWaits(usual.patience(), usual.greeting(), drain),
            // ranks of several nodes meet where all of them save
            clients.isEmpty() ? null : new RemoteAssembly(clients));
    agent.start();
    terminal.out().println("Agent on %s, job %s, to %s".formatted(place, job, to));
    if (scrape != null) {
      scrape.show(new EngineMeters(agent::metrics, job, 0));
      scrape.show(new RestoreMeters(agent::restoreFallbacks, job));
      terminal.out().println("Metrics on " + scrape.address());
    }
    terminal.out().flush();
    CountDownLatch told = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    Thread hook = new Thread(() -> end(agent, ended), "deepvm-agent-end");
    Runtime.getRuntime().addShutdownHook(hook);
    if (attached) {
      DaemonThreads.start("deepvm-agent-starter", () -> awaitEnd(System.in, told));
    }
    try {
      told.await();
    } catch (InterruptedException e) {
      // ends below
    }
    end(agent, ended);
  }

  private List<Tier> tiers(List<AnchorClient> clients) throws IOException {
    List<Tier> members = new ArrayList<>();
    for (int i = 0; i < anchors.size(); i++) {
      InetSocketAddress anchor = anchors.get(i);
      members.add(
          new RemoteTier(
              "anchor-%s:%d".formatted(anchor.getHostString(), anchor.getPort()),
              Level.REPLICATED,
              clients.get(i)));
    }
    return AnchoredStore.tiers(members, store());
  }

  private Tier store() throws IOException {
    if (Stores.isAddress(to)) {
      shared.refuseFor(to);
      return Stores.open("s3", to);
    }
    return new DirectoryTier("disk", Level.DURABLE, shared.store(to));
  }

  private static void awaitEnd(InputStream in, CountDownLatch told) {
    try {
      while (in.read() >= 0) {
        // whatever it says
      }
    } catch (IOException e) {
      // that is an end too
    }
    told.countDown();
  }

  private void end(CheckpointService agent, AtomicBoolean ended) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    try {
      ClosingReport report = agent.close(drain);
      terminal
          .out()
          .println(
              report == null || report.unfinished().isEmpty()
                  ? "All is written."
                  : "Not all was written in time: " + report.unfinished());
    } catch (IOException e) {
      terminal.err().println("The agent did not end well: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    terminal.out().flush();
  }
}
