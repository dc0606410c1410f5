package io.deepvm.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A wire with faults: it damages, cuts or holds back what a client sends to a server. */
final class Relay implements AutoCloseable {

  private static final long NEVER = -1;

  private final ServerSocketChannel listener;
  private final InetSocketAddress server;
  private final Set<SocketChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong flipAt = new AtomicLong(NEVER);
  private final AtomicLong cutAt = new AtomicLong(NEVER);
  private boolean held;

  Relay(InetSocketAddress server) throws IOException {
    this.server = server;
    listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    thread(this::acceptAll);
  }

  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) listener.getLocalAddress();
  }

  /** Flips one bit, once, so many bytes after now. */
  void flipAfter(long bytes) {
    flipAt.set(sent.get() + bytes);
  }

  /** Cuts the connection, once, so many bytes after now. */
  void cutAfter(long bytes) {
    cutAt.set(sent.get() + bytes);
  }

  /** Lets nothing through any more, either way, without closing anything. */
  synchronized void hold() {
    held = true;
  }

  /** Returns how many bytes went from clients to the server. */
  long sent() {
    return sent.get();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      held = false;
      notifyAll();
    }
    listener.close();
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }

  private void acceptAll() {
    try {
      while (true) {
        SocketChannel client = listener.accept();
        SocketChannel onward = SocketChannel.open(server);
        channels.add(client);
        channels.add(onward);
        thread(() -> pass(client, onward, true));
        thread(() -> pass(onward, client, false));
      }
    } catch (IOException closed) {
      // The relay was closed.
    }
  }

  private void pass(SocketChannel from, SocketChannel to, boolean faulty) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(16 << 10);
    try (from;
        to) {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        if (faulty && !harm(buffer)) {
          return;
        }
        awaitRelease();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
    } catch (IOException closed) {
      // One of the two is gone, and with it the other.
    }
  }

  /** Damages the bytes if it is time for that; false when it is time to cut. */
  private boolean harm(ByteBuffer bytes) {
    long from = sent.get();
    long to = sent.addAndGet(bytes.remaining());
    long flip = flipAt.get();
    if (flip >= from && flip < to) {
      flipAt.set(NEVER);
      int at = (int) (flip - from);
      bytes.put(at, (byte) (bytes.get(at) ^ 4));
    }
    long cut = cutAt.get();
    if (cut >= from && cut < to) {
      cutAt.set(NEVER);
      return false;
    }
    return true;
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
}
