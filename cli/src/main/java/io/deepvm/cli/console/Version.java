package io.deepvm.cli.console;

import picocli.CommandLine.IVersionProvider;

/** The version the jar's manifest states. */
public final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"deepvm " + (version == null ? "(not packaged)" : version)};
  }
}
