package io.deepvm.cli.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.checkpoint.Stores;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cli.options.SecurityOptions;
import io.deepvm.cli.options.Values;
import io.deepvm.transport.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where checkpoints are, and of which job. */
@SuppressWarnings("NullAway.Init")
final class StoreOptions {

  private static final String ANCHOR = "anchor:";

  @Option(
      names = "--store",
      required = true,
      paramLabel = "DIR|s3://BUCKET/PREFIX|anchor:HOST:PORT",
      description = "The folder, object store or anchor that keeps the checkpoints.")
  private String store;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "Only the checkpoints of this name (default: all; to restore, the only one there is).")
  private @Nullable String job;

  @Mixin private SecurityOptions security;

  /** An open store. */
  record Store(Tier tier, List<String> jobs, AutoCloseable way) implements AutoCloseable {

    @Override
    public void close() {
      try {
        way.close();
      } catch (Exception e) {
        // nothing more is wanted from it
      }
    }
  }

  /** Opens the store; it must be there, and so must the job if one is named. */
  Store open() throws IOException {
    Store open = reach();
    if (job == null) {
      return open;
    }
    if (!open.jobs.contains(job)) {
      open.close();
      throw new BadInput(
          "%s keeps no checkpoint named '%s'.".formatted(store, job),
          Suggestion.maybe(job, open.jobs, "Maybe see 'deepvm checkpoint ls' for its names."));
    }
    return new Store(open.tier, List.of(job), open.way);
  }

  /** Opens the store with all the jobs it knows. */
  private Store reach() throws IOException {
    if (store.startsWith(ANCHOR)) {
      AnchorClient client =
          AnchorClient.secured(
              Values.address(store.substring(ANCHOR.length())),
              security.security().as(Role.COORDINATOR));
      RemoteTier tier = new RemoteTier(store, Level.REPLICATED, client);
      try {
        return new Store(tier, tier.jobs(), client);
      } catch (IOException e) {
        client.close();
        throw away(e);
      }
    }
    if (Stores.isAddress(store)) {
      if (job == null) {
        throw new BadInput(
            "An object store does not list the names of its checkpoints.",
            "Maybe name one with --name.");
      }
      Tier tier = Stores.open("archive", store);
      try {
        return new Store(tier, tier.list(job).isEmpty() ? List.of() : List.of(job), tier);
      } catch (IOException e) {
        tier.close();
        throw away(e);
      }
    }
    Path folder = Path.of(store);
    if (!Files.isDirectory(folder)) {
      throw new BadInput(
          "There is no folder '%s'.".formatted(store),
          "Maybe check the path, or write anchor:HOST:PORT.");
    }
    DirectoryTier tier = new DirectoryTier(store, Level.DURABLE, folder);
    return new Store(tier, tier.jobs(), () -> {});
  }

  private BadInput away(IOException problem) {
    return new BadInput(
        "%s cannot be asked: %s".formatted(store, problem.getMessage()),
        "Maybe it is not running, or needs another --token-file or --tls option.");
  }
}
