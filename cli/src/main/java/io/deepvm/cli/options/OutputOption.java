package io.deepvm.cli.options;

import io.deepvm.cli.print.Format;
import picocli.CommandLine.Option;

/** The form of the results. */
public final class OutputOption {

  @Option(
      names = "--output",
      paramLabel = "table|json|csv",
      description = "The form of the results (default: ${DEFAULT-VALUE}).")
  public Format format = Format.TABLE;
}
