package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Listens for connections. Beyond this machine's loopback addresses it only binds with a token or
 * with certificates that it trusts, and then uses TLS.
 */
public final class TransportServer implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofMillis(50);

  /** With the JDK's 50, a crowd of strangers would delay others by the seconds of a lost SYN. */
  private static final int BACKLOG = 1024;

  private final InetSocketAddress bind;
  private final Handler handler;
  private final TransportOptions options;
  private final Endpoint endpoint;
  private @Nullable ServerSocketChannel listener;

  /** Makes a server for this address (port 0: any free one) that {@link #start} opens. */
  public TransportServer(InetSocketAddress bind, Handler handler, TransportOptions options) {
    options.security().check(bind);
    this.bind = bind;
    this.handler = handler;
    this.options = options;
    endpoint = new Endpoint("transport server", options);
  }

  /** Binds the address and begins to accept. */
  public synchronized void start() throws IOException {
    if (bind.isUnresolved()) {
      throw new BadInput("The address " + bind + " is not known.", "Maybe write it as numbers.");
    }
    if (listener != null) {
      throw new IllegalStateException("The server has been started before.");
    }
    ServerSocketChannel opened = ServerSocketChannel.open();
    try {
      opened.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      opened.bind(bind, BACKLOG);
    } catch (IOException e) {
      opened.close();
      throw new IOException("Cannot listen on " + bind + ": " + e.getMessage(), e);
    }
    listener = opened;
    endpoint.start();
    endpoint.spawn("acceptor", () -> acceptAll(opened));
  }

  /** Returns the address it listens on. */
  public synchronized InetSocketAddress address() throws IOException {
    if (listener == null) {
      throw new IllegalStateException("The server has not been started.");
    }
    return (InetSocketAddress) listener.getLocalAddress();
  }

  /** Returns what it uses at the moment. */
  public Usage usage() {
    return endpoint.usage();
  }

  /** Stops listening, ends all connections and waits until its threads have gone. */
  @Override
  public void close() {
    synchronized (this) {
      if (listener != null) {
        try {
          listener.close();
        } catch (IOException e) {
          // It is gone either way.
        }
      }
    }
    endpoint.close();
  }

  private void acceptAll(ServerSocketChannel from) {
    while (from.isOpen()) {
      try {
        accept(from.accept());
      } catch (IOException | RuntimeException | Error e) {
        if (from.isOpen()) {
          // Keeps a lack of file descriptors or threads from becoming a busy loop.
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
    }
  }

  private void accept(SocketChannel channel) throws IOException {
    Connection connection = null;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      TransportWire wire = options.security().wire(channel, false, local);
      InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
      connection = new Connection(endpoint, handler, wire, remote, false);
      if (endpoint.addUnproven(connection)) {
        connection.start();
      } else {
        channel.close();
      }
    } catch (IOException | RuntimeException | Error e) {
      if (connection != null) {
        connection.end("It could not be started: " + e);
      }
      channel.close();
      throw e;
    }
  }
}
