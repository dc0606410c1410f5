package io.deepvm.cluster.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.HostPort;
import java.net.InetSocketAddress;
import java.util.Map;

/** How an agent and its coordinator come together. */
public sealed interface AgentContact {

  String COORDINATOR = "DEEPVM_COORDINATOR";
  String LISTEN_PORT = "DEEPVM_LISTEN_PORT";

  /** Returns it as a variable of the agent's environment. */
  Map<String, String> environment();

  /** The agent connects to the coordinator. */
  record Dial(String host, int port) implements AgentContact {

    @Override
    public Map<String, String> environment() {
      return Map.of(COORDINATOR, host + ":" + port);
    }

    InetSocketAddress address() {
      InetSocketAddress address = new InetSocketAddress(host, port);
      if (address.isUnresolved()) {
        throw new BadInput(
            "The coordinator's host (%s) is not known.".formatted(host),
            "Maybe write it as numbers.");
      }
      return address;
    }
  }

  /**
   * The agent waits at this port of its host for the coordinator.
   *
   * @param port 0 for any free one, which the agent writes to the file "port" in its folder
   */
  record Listen(int port) implements AgentContact {
    @Override
    public Map<String, String> environment() {
      return Map.of(LISTEN_PORT, Integer.toString(port));
    }
  }

  /** Reads the variable. */
  static AgentContact of(Map<String, String> env) {
    String coordinator = env.get(COORDINATOR);
    String port = env.get(LISTEN_PORT);
    if (coordinator == null && port == null) {
      throw new BadInput(
          "An agent needs the variable %s or %s.".formatted(COORDINATOR, LISTEN_PORT),
          "Maybe let 'deepvm run' start the agents.");
    }
    if (coordinator == null) {
      return new Listen("0".equals(port) ? 0 : port(LISTEN_PORT, String.valueOf(port)));
    }
    HostPort address = address(coordinator);
    return new Dial(address.host(), port(COORDINATOR, Integer.toString(address.port())));
  }

  private static HostPort address(String text) {
    try {
      return HostPort.parse(text);
    } catch (BadInput e) {
      throw new BadInput(
          "The variable %s is '%s', which is not an address.".formatted(COORDINATOR, text),
          "Maybe write it like 127.0.0.1:4000.");
    }
  }

  private static int port(String name, String text) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= 0xffff) {
        return port;
      }
    } catch (NumberFormatException e) {
      // The same as a number that is no port.
    }
    throw new BadInput(
        "The variable %s has the port '%s', which is not from 1 to 65535.".formatted(name, text),
        "Maybe write it like 127.0.0.1:4000.");
  }
}
