package io.deepvm.checkpoint.simulation;

import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.Usage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Stands for the transport's {@code TransportServer}. */
public final class SimulatedServer implements AutoCloseable {

  private final SimulatedProcess process = SimulatedThread.current().process();
  private final InetSocketAddress bind;
  private final SimulatedHandler handler;
  private final TransportOptions options;

  /** Makes a server that {@link #start} opens. */
  public SimulatedServer(
      InetSocketAddress bind, SimulatedHandler handler, TransportOptions options) {
    this.bind = bind;
    this.handler = handler;
    this.options = options;
  }

  SimulatedProcess process() {
    return process;
  }

  SimulatedHandler handler() {
    return handler;
  }

  TransportOptions options() {
    return options;
  }

  /** Begins to accept. */
  public void start() throws IOException {
    SimulatedThread.current().checkAlive();
    SimulatedServer other = process.world().servers().get(bind.getPort());
    if (other != null && !other.process.isDead()) {
      throw new IOException("Cannot listen on " + bind + ": it is in use.");
    }
    process.world().servers().put(bind.getPort(), this);
    process.world().event(process.name(), "listens on " + bind.getPort());
  }

  /** Returns the address. */
  public InetSocketAddress address() {
    return bind;
  }

  /** Returns what it uses. */
  public Usage usage() {
    return new Usage(0, 0, 0, 0, 0, 0);
  }

  /** Ends all connections. */
  @Override
  public void close() {
    process.world().servers().remove(bind.getPort(), this);
    for (SimulatedConnection each : List.copyOf(process.world().connections())) {
      if (each.process() == process || each.peer().process() == process) {
        each.end("The server closed.");
      }
    }
  }
}
