package io.deepvm.cluster.link;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A wire between two sides that can be cut, or held so that nothing passes; also as a SOCKS5 proxy.
 */
final class Wiretap implements AutoCloseable {

  private final ServerSocket door;
  private final @Nullable InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private boolean held;

  private Wiretap(@Nullable InetSocketAddress target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  /** Leads to this address. */
  static Wiretap to(int port) throws IOException {
    return new Wiretap(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Leads where its clients ask for by SOCKS5. */
  static Wiretap socks() throws IOException {
    return new Wiretap(null);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), door.getLocalPort());
  }

  /** Returns how many connections were made through it. */
  int connections() {
    return connections.get();
  }

  /** Returns what passed, both ways, as far as it is text. */
  String heard() {
    synchronized (heard) {
      return heard.toString(StandardCharsets.ISO_8859_1);
    }
  }

  /** Breaks all connections; others may follow. */
  void cut() {
    sockets.forEach(Wiretap::close);
    sockets.clear();
  }

  /** Lets nothing pass, and closes nothing. */
  synchronized void hold(boolean on) {
    held = on;
    notifyAll();
  }

  @Override
  public void close() throws IOException {
    hold(false);
    door.close();
    cut();
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (door.isClosed()) {
          // A thread that waits in the kernel may still accept one.
          close(client);
        } else {
          daemon(() -> serve(client));
        }
      } catch (IOException e) {
        // It was closed.
      }
    }
  }

  private void serve(Socket client) {
    try {
      awaitRelease();
      InetSocketAddress to = target == null ? asked(client) : target;
      Socket server = new Socket();
      server.connect(to, 1_000);
      if (target == null) {
        client.getOutputStream().write(new byte[] {5, 0, 0, 1, 127, 0, 0, 1, 0, 0});
      }
      connections.incrementAndGet();
      sockets.add(client);
      sockets.add(server);
      if (door.isClosed()) {
        cut();
      }
      daemon(() -> copy(client, server));
      copy(server, client);
    } catch (IOException e) {
      try (client) {
        if (target == null) {
          client.getOutputStream().write(new byte[] {5, 5, 0, 1, 0, 0, 0, 0, 0, 0});
        }
      } catch (IOException broken) {
        // The client is gone.
      }
    }
  }

  /** Returns the address that a SOCKS5 client asks for. */
  private static InetSocketAddress asked(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    byte[] unused = in.readNBytes(in.readNBytes(2)[1]);
    client.getOutputStream().write(new byte[] {5, 0});
    byte[] head = in.readNBytes(4);
    int length = head[3] == 1 ? 4 : head[3] == 4 ? 16 : in.read();
    byte[] host = in.readNBytes(length);
    int port = in.read() << 8 | in.read();
    return head[3] == 3
        ? new InetSocketAddress(new String(host, StandardCharsets.US_ASCII), port)
        : new InetSocketAddress(InetAddress.getByAddress(host), port);
  }

  private void copy(Socket from, Socket to) {
    byte[] bytes = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        awaitRelease();
        synchronized (heard) {
          heard.write(bytes, 0, count);
        }
        out.write(bytes, 0, count);
      }
    } catch (IOException e) {
      // One of them is gone.
    }
    close(from);
    close(to);
  }

  private synchronized void awaitRelease() throws IOException {
    try {
      while (held) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone.
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "wiretap");
    thread.setDaemon(true);
    thread.start();
  }
}
