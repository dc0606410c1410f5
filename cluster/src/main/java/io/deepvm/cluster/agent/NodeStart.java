package io.deepvm.cluster.agent;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.member.Role;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an agent must know to start, as variables of its environment.
 *
 * @param tokenFile a file with the secrets of the run's workers that only the user can read
 * @param host the address the node listens on and can be reached at
 * @param folder where it writes what its process prints
 * @param machine what the node's machine is like
 */
public record NodeStart(
    String run,
    String node,
    Role role,
    AgentContact contact,
    String tokenFile,
    String host,
    String folder,
    Machine machine) {

  /**
   * What a node's machine is like.
   *
   * @param type the name of its type
   * @param speed its speed relative to others, for emulation
   * @param readyAtMs before which the node is not ready, as a machine that boots; 0 for at once
   */
  public record Machine(String type, double speed, long readyAtMs) {}

  /** The variable that names the file with the run's token. */
  public static final String TOKEN_FILE = "DEEPVM_TOKEN_FILE";

  /**
   * Returns the variables that the coordinator sets, but for the token's file. The place of the
   * node sets the others.
   */
  public static Map<String, String> ordered(
      String run, String node, Role role, AgentContact contact) {
    Map<String, String> env = new LinkedHashMap<>();
    env.put("DEEPVM_RUN", run);
    env.put("DEEPVM_NODE", node);
    env.put("DEEPVM_ROLE", role.name());
    env.putAll(contact.environment());
    return env;
  }

  /** Returns all variables. */
  public Map<String, String> environment() {
    Map<String, String> env = ordered(run, node, role, contact);
    env.put(TOKEN_FILE, tokenFile);
    env.put("DEEPVM_HOST", host);
    env.put("DEEPVM_FOLDER", folder);
    env.put("DEEPVM_TYPE", machine.type());
    env.put("DEEPVM_SPEED", Double.toString(machine.speed()));
    env.put("DEEPVM_READY_AT_MS", Long.toString(machine.readyAtMs()));
    return env;
  }

  /** Reads the variables. */
  public static NodeStart of(Map<String, String> env) {
    try {
      return new NodeStart(
          get(env, "DEEPVM_RUN"),
          get(env, "DEEPVM_NODE"),
          Role.valueOf(get(env, "DEEPVM_ROLE")),
          AgentContact.of(env),
          get(env, TOKEN_FILE),
          get(env, "DEEPVM_HOST"),
          get(env, "DEEPVM_FOLDER"),
          new Machine(
              get(env, "DEEPVM_TYPE"),
              Double.parseDouble(get(env, "DEEPVM_SPEED")),
              Long.parseLong(get(env, "DEEPVM_READY_AT_MS"))));
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          "A variable of the agent cannot be read: %s.".formatted(e.getMessage()),
          "Maybe let 'deepvm run' start the agents.");
    }
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
