package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes connections to servers. */
public final class TransportClient implements AutoCloseable {

  private final Handler handler;
  private final TransportOptions options;
  private final Endpoint endpoint;

  /** Makes a client whose handler serves what servers ask of it. */
  public TransportClient(Handler handler, TransportOptions options) {
    this.handler = handler;
    this.options = options;
    endpoint = new Endpoint("transport client", options);
  }

  /** Makes a client that takes nothing but answers. */
  public TransportClient(TransportOptions options) {
    this(new Handler() {}, options);
  }

  /** Begins to look after its connections. */
  public void start() {
    endpoint.start();
  }

  /** Connects and waits until both sides are proven, no longer than the handshake may take. */
  public Connection connect(InetSocketAddress address) throws IOException {
    if (address.isUnresolved()) {
      throw new BadInput("The address " + address + " is not known.", "Maybe write it as numbers.");
    }
    return connect(address, null);
  }

  /**
   * Connects likewise, through a SOCKS5 proxy if one is given. An address that is not resolved is
   * looked up by the proxy.
   */
  public Connection connect(InetSocketAddress address, @Nullable InetSocketAddress proxy)
      throws IOException {
    options.security().check(address);
    Duration wait = options.timeouts().handshake();
    SocketChannel channel = SocketChannel.open();
    Connection connection;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      long deadline = now() + wait.toNanos();
      int millis = (int) Math.min(wait.toMillis(), Integer.MAX_VALUE);
      channel.socket().connect(proxy == null ? address : proxy, millis);
      if (proxy != null) {
        new Socks5(channel.socket(), options.nanoClock(), deadline).connect(address);
      }
      TransportWire wire = options.security().wire(channel, true, address);
      connection = new Connection(endpoint, handler, wire, address, true);
      if (!endpoint.add(connection)) {
        throw new IOException("The client is not started, is closed, or has all its connections.");
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new IOException("No connection to " + address + ": " + e.getMessage(), e);
    }
    connection.start();
    connection.awaitReady(wait);
    return connection;
  }

  long now() {
    return options.nanoClock().getAsLong();
  }

  /** Returns what it uses at the moment. */
  public Usage usage() {
    return endpoint.usage();
  }

  /** Ends all connections and waits until its threads have gone. */
  @Override
  public void close() {
    endpoint.close();
  }
}
