package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.transport.Security;
import io.deepvm.transport.TokenFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How anchors and their clients know each other. */
public final class SecurityOptions {

  @Option(
      names = "--token-file",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description =
          "The secret an anchor and its clients share; needed beyond loopback. Only you may read"
              + " the file.")
  private @Nullable Path token;

  @Option(
      names = "--tls",
      description = "Encrypt on loopback, too; beyond loopback it is always on.")
  private boolean tls;

  @Option(
      names = "--tls-cert",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "The certificate to present, as PEM (default: one made for this process).")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "The private key of --tls-cert, as PEM.")
  private @Nullable Path key;

  @Option(
      names = "--tls-ca",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description =
          "Accept only certificates that are in this PEM file or issued by one in it; clients need"
              + " one, too.")
  private @Nullable Path authority;

  /** Returns what these options say. */
  public Security security() {
    Security security = token == null ? Security.none() : Security.of(new TokenFile(token));
    if (tls) {
      security = security.encrypted();
    }
    if (certificate != null && key != null) {
      security = security.withCertificate(certificate, key);
    } else if (certificate != null || key != null) {
      throw new BadInput(
          "--tls-cert and --tls-key belong together.", "Maybe give both, or neither.");
    }
    return authority == null ? security : security.withAuthority(authority);
  }
}
