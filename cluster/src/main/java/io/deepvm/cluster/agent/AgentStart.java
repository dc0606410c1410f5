package io.deepvm.cluster.agent;

import io.deepvm.cluster.member.Role;
import io.deepvm.units.BadInput;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an agent must be told to start, as variables of its environment.
 *
 * @param keeper where ZooKeeper is, "host:port"
 * @param tokenFile a file with the run's token that only the user can read
 * @param host the address the node listens on and can be reached at
 * @param folder where it writes what its process prints
 * @param type the node type's name
 * @param speed the node type's speed relative to others, for emulation
 * @param readyAtMs before which the node is not ready, as a machine that boots; 0 for at once
 */
public record AgentStart(
    String run,
    String node,
    Role role,
    String keeper,
    String tokenFile,
    String host,
    String folder,
    String type,
    double speed,
    long readyAtMs,
    double sessionSeconds) {

  /** Returns the variables. */
  public Map<String, String> environment() {
    Map<String, String> env = new LinkedHashMap<>();
    env.put("DEEPVM_RUN", run);
    env.put("DEEPVM_NODE", node);
    env.put("DEEPVM_ROLE", role.name());
    env.put("DEEPVM_KEEPER", keeper);
    env.put("DEEPVM_TOKEN_FILE", tokenFile);
    env.put("DEEPVM_HOST", host);
    env.put("DEEPVM_FOLDER", folder);
    env.put("DEEPVM_TYPE", type);
    env.put("DEEPVM_SPEED", Double.toString(speed));
    env.put("DEEPVM_READY_AT_MS", Long.toString(readyAtMs));
    env.put("DEEPVM_SESSION_SECONDS", Double.toString(sessionSeconds));
    return env;
  }

  /** Reads the variables. */
  public static AgentStart of(Map<String, String> env) {
    return new AgentStart(
        get(env, "DEEPVM_RUN"),
        get(env, "DEEPVM_NODE"),
        Role.valueOf(get(env, "DEEPVM_ROLE")),
        get(env, "DEEPVM_KEEPER"),
        get(env, "DEEPVM_TOKEN_FILE"),
        get(env, "DEEPVM_HOST"),
        get(env, "DEEPVM_FOLDER"),
        get(env, "DEEPVM_TYPE"),
        Double.parseDouble(get(env, "DEEPVM_SPEED")),
        Long.parseLong(get(env, "DEEPVM_READY_AT_MS")),
        Double.parseDouble(get(env, "DEEPVM_SESSION_SECONDS")));
  }

  private static String get(Map<String, String> env, String name) {
    String value = env.get(name);
    if (value == null) {
      throw new BadInput(
          "An agent needs the variable %s.".formatted(name),
          "Maybe let 'deepvm run' start the agents.");
    }
    return value;
  }
}
