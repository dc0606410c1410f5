package io.deepvm.cli;

import io.deepvm.cli.console.Exit;
import java.nio.file.Path;

/** Starts the command, or says what is missing where the jar was copied without its libraries. */
public final class JarMain {

  /** A class of a library that every command needs. */
  private static final String NEEDED = "picocli.CommandLine";

  private JarMain() {}

  public static void main(String[] args) {
    if (hasLibraries()) {
      Main.main(args);
      return;
    }
    Path jar = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
    System.err.printf(
        "%s needs its libraries in %s, and they are not there.%n",
        jar.getFileName(), jar.resolveSibling("lib"));
    System.err.println(
        "Maybe copy that folder too, or build one file that has everything, deepvm-all.jar:"
            + " mvn -Psingle-jar -pl cli -am package -Dmaven.test.skip=true");
    System.exit(Exit.BAD_INPUT);
  }

  private static boolean hasLibraries() {
    try {
      Class<?> unused = Class.forName(NEEDED, false, JarMain.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
