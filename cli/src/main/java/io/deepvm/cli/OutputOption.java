package io.deepvm.cli;

import io.deepvm.cli.print.Format;
import picocli.CommandLine.Option;

/** The form of the results. */
final class OutputOption {

  @Option(
      names = "--output",
      paramLabel = "table|json|csv",
      description = "The form of the results (default: ${DEFAULT-VALUE}).")
  Format format = Format.TABLE;
}
