package io.deepvm.cli.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.transport.Role;
import io.deepvm.transport.TokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes the secrets that anchors and their clients share. */
@Command(
    name = "token",
    description = "Makes a secret for --token-file, in a file that only you can read.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm checkpoint token --out token",
      "  deepvm checkpoint token --role worker --token-file token --out worker.token"
    })
@SuppressWarnings("NullAway.Init")
public final class CheckpointTokenCommand implements Callable<Integer> {

  @Option(
      names = "--out",
      required = true,
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "The file to write.")
  private Path out;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description =
          "Only the secrets of this role, of those in --token-file: worker, anchor or coordinator.")
  private @Nullable Role role;

  @Option(
      names = "--token-file",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "The token of all roles.")
  private @Nullable Path token;

  @Option(
      names = "--replace",
      description =
          "Replace the file: services that run accept the former secret for 10 more minutes.")
  private boolean replace;

  private final Terminal terminal;

  public CheckpointTokenCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (Files.exists(out) && !replace) {
      throw new BadInput(
          "'%s' exists.".formatted(out), "Maybe name another file, or add --replace.");
    }
    if (role != null && token != null) {
      TokenFile.derive(token, role, out);
    } else if (role == null && token == null) {
      TokenFile.create(out);
    } else {
      throw new BadInput(
          "--role and --token-file belong together.", "Maybe give both, or neither.");
    }
    terminal.out().println("Wrote %s".formatted(out));
    return Exit.DONE;
  }
}
