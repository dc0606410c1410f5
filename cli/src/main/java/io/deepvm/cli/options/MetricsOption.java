package io.deepvm.cli.options;

import io.deepvm.checkpoint.metrics.Scrape;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a service shows how it is doing. */
public final class MetricsOption {

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description =
          "Show figures for Prometheus there at /metrics, to this machine only (default: nowhere);"
              + " port 0 takes a free one.")
  private @Nullable InetSocketAddress listen;

  /** Takes the address; null when nobody wants to look. */
  public @Nullable Scrape open() throws IOException {
    InetSocketAddress address = listen;
    return address == null ? null : new Scrape(address);
  }
}
