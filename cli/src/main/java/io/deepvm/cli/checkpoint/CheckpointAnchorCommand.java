package io.deepvm.cli.checkpoint;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Stores;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.deepvm.checkpoint.metrics.AnchorMeters;
import io.deepvm.checkpoint.metrics.Scrape;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.MetricsOption;
import io.deepvm.cli.options.SecurityOptions;
import io.deepvm.cli.options.SharedOption;
import io.deepvm.cli.options.Values;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs an anchor until it is stopped. */
@Command(
    name = "anchor",
    description = "Keeps checkpoints for workers: in memory, on disk, and in an archive.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm checkpoint anchor --listen 127.0.0.1:7070 --memory 2GB --disk anchor"
    })
@SuppressWarnings("NullAway.Init")
public final class CheckpointAnchorCommand implements Callable<Integer> {

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      description = "The address workers connect to; port 0 takes a free one.")
  private InetSocketAddress listen;

  @Option(
      names = "--memory",
      required = true,
      paramLabel = "SIZE",
      description = "The memory for checkpoints, as 2GB; what does not fit goes to the disk.")
  private DataSize memory;

  @Option(
      names = "--disk",
      required = true,
      paramLabel = "DIR",
      description = "A folder of its own on the disk.")
  private Path disk;

  @Option(
      names = "--archive",
      paramLabel = "DIR|s3://BUCKET/PREFIX",
      description = "Where versions are uploaded to; anchors of one job share it.")
  private @Nullable String archive;

  @Option(
      names = "--drain",
      converter = Values.OrNone.class,
      paramLabel = "DURATION",
      description = "How long to go on flushing after SIGTERM (default: 60s).")
  private Duration drain = Duration.ofSeconds(60);

  @Mixin private SharedOption shared;

  @Mixin private MetricsOption metrics;

  @Mixin private SecurityOptions security;

  private final Terminal terminal;

  public CheckpointAnchorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    // first: a wrong address is refused before anything has begun
    try (Scrape scrape = metrics.open()) {
      run(scrape);
    }
    return Exit.DONE;
  }

  private void run(@Nullable Scrape scrape) throws IOException {
    AnchorOptions options = AnchorOptions.of(listen, memory, shared.store(disk.toString()));
    if (archive != null) {
      options =
          options.withArchive(
              Stores.isAddress(archive)
                  ? Stores.open("archive", archive)
                  : new DirectoryTier("archive", Level.ARCHIVED, shared.store(archive)));
    }
    AnchorService anchor = new AnchorService(options.withSecurity(security.security()));
    anchor.start();
    terminal
        .out()
        .println(
            "Anchor on %s:%d, memory %s, disk %s"
                .formatted(
                    anchor.address().getAddress().getHostAddress(),
                    anchor.address().getPort(),
                    memory,
                    disk));
    if (scrape != null) {
      scrape.show(new AnchorMeters(anchor));
      terminal.out().println("Metrics on " + scrape.address());
    }
    terminal.out().flush();
    Thread hook = new Thread(() -> end(anchor), "deepvm-anchor-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Runtime.getRuntime().removeShutdownHook(hook);
      end(anchor);
    }
  }

  private void end(AnchorService anchor) {
    try {
      boolean flushed = anchor.close(drain);
      terminal.out().println(flushed ? "All is flushed." : "Not all was flushed in time.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    terminal.out().flush();
  }
}
