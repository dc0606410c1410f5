package io.deepvm.places;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The process to start on a node. A cloud adds the variables that only the cloud knows.
 *
 * @param command the program and its arguments
 * @param environment variables of the process
 * @param secrets variables that name a file, each with the file here that the node needs; only the
 *     user may read it, on the node as well
 */
public record Launch(
    List<String> command, Map<String, String> environment, Map<String, Path> secrets) {
  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    secrets = Map.copyOf(secrets);
  }

  /** A process that needs no secret. */
  public Launch(List<String> command, Map<String, String> environment) {
    this(command, environment, Map.of());
  }
}
