package io.deepvm.bench.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The network between a trainer and an anchor, which can be cut, or swallow everything. */
final class Relay implements AutoCloseable {

  private final ServerSocketChannel listener;
  private final int target;
  private final Set<SocketChannel> channels = ConcurrentHashMap.newKeySet();
  private boolean held;

  Relay(int target) throws IOException {
    this.target = target;
    listener = ServerSocketChannel.open().bind(loopback(0));
    thread(this::acceptAll);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  int port() throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  /** Closes all connections; new ones are possible at once. */
  void cut() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
    channels.clear();
  }

  /** Lets nothing through, without closing anything, or lets it through again. */
  synchronized void hold(boolean on) {
    held = on;
    notifyAll();
  }

  private void acceptAll() {
    while (listener.isOpen()) {
      try {
        SocketChannel client = listener.accept();
        try {
          SocketChannel onward = SocketChannel.open(loopback(target));
          channels.add(client);
          channels.add(onward);
          thread(() -> pass(client, onward));
          thread(() -> pass(onward, client));
        } catch (IOException e) {
          // the anchor is gone
          client.close();
        }
      } catch (IOException e) {
        // closed, or this one connection failed
      }
    }
  }

  private void pass(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
    try (from;
        to) {
      while (from.read(buffer.clear()) >= 0) {
        awaitRelease();
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
    } catch (IOException e) {
      // one of the two is gone, and with it the other
    } finally {
      channels.remove(from);
      channels.remove(to);
    }
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

  private static void thread(Runnable task) {
    Thread thread = new Thread(task, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    hold(false);
    cut();
  }
}
