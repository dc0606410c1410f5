package io.deepvm.checkpoint.simulation;

import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.Usage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Stands for the transport's {@code TransportClient}. */
public final class SimulatedClient implements AutoCloseable {

  private final SimulatedHandler handler;
  private final TransportOptions options;
  private final List<SimulatedConnection> connections = new ArrayList<>();

  /** Makes a client whose handler serves what servers ask of it. */
  public SimulatedClient(SimulatedHandler handler, TransportOptions options) {
    this.handler = handler;
    this.options = options;
  }

  /** Makes a client that takes nothing but answers. */
  public SimulatedClient(TransportOptions options) {
    this(new SimulatedHandler() {}, options);
  }

  /** Does nothing: there are no sockets. */
  public void start() {}

  /** Connects, as fast or slowly as the server answers. */
  public SimulatedConnection connect(InetSocketAddress address) throws IOException {
    SimulatedProcess me = SimulatedThread.current().process();
    World world = me.world();
    world.sleep(world.faults().random().nextLong(2_000_000));
    SimulatedServer server = world.servers().get(address.getPort());
    if (server == null || server.process().isDead()) {
      throw new IOException("No connection to " + address + ": Connection refused");
    }
    if (server.process().pausedUntil > world.scheduler().now()
        || world.isCut(me, address.getPort())
        || world.faults().happens(Faults.Kind.LOST_CONNECTION)) {
      world.sleep(options.timeouts().handshake().toNanos());
      throw new IOException("No connection to " + address + ": the handshake took too long.");
    }
    SimulatedConnection mine = new SimulatedConnection(me, handler, options, address);
    SimulatedConnection theirs =
        new SimulatedConnection(
            server.process(), server.handler(), server.options(), new InetSocketAddress(0));
    SimulatedConnection.join(mine, theirs);
    connections.add(mine);
    world.event(me.name(), "connects to " + server.process().name());
    return mine;
  }

  /** Returns what it uses. */
  public Usage usage() {
    return new Usage(connections.size(), 0, 0, 0, 0, 0);
  }

  /** Ends all its connections. */
  @Override
  public void close() {
    List.copyOf(connections).forEach(SimulatedConnection::close);
  }
}
