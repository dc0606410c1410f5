package io.deepvm.places;

import java.util.List;
import java.util.Map;

/**
 * The process to start on a node. A cloud adds the variables that only the cloud knows.
 *
 * @param command the program and its arguments
 * @param environment variables of the process
 */
public record Launch(List<String> command, Map<String, String> environment) {
  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }
}
