package io.deepvm.cli;

import picocli.CommandLine.IVersionProvider;

/** The version the jar's manifest states. */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {"deepvm " + (version == null ? "(not packaged)" : version)};
  }
}
