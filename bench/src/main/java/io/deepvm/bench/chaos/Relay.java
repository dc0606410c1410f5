package io.deepvm.bench.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The network to an anchor, wherever that listens now; it can be cut, or swallow everything. */
final class Relay implements AutoCloseable {

  private static final long NEVER = -1;

  /** Long enough for the anchor to do what it was asked. */
  private static final long DEAF_MILLIS = 300;

  private final ServerSocketChannel listener;
  private final Set<SocketChannel> channels = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private long untilCut = NEVER;
  private long untilDeaf = NEVER;
  private boolean deaf;
  private boolean held;

  Relay() throws IOException {
    listener = ServerSocketChannel.open().bind(loopback(0));
    thread(this::acceptAll);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  int port() throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  /** Leads to another port from now on; to none when it is zero. */
  void target(int port) {
    target = port;
  }

  /** Closes all connections; new ones are possible at once. */
  void cut() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
    channels.clear();
  }

  /** Closes all connections in the middle of what comes after so many bytes more. */
  synchronized void cutAfter(long bytes) {
    untilCut = bytes;
  }

  /**
   * Lets nothing come back any more, once so many bytes more have gone to the anchor, and soon
   * after closes all connections.
   */
  synchronized void loseRepliesAfter(long bytes) {
    untilDeaf = bytes;
  }

  /** Returns whether no cut is still to come. */
  synchronized boolean isCut() {
    return untilCut == NEVER && untilDeaf == NEVER && !deaf;
  }

  /** Counts what goes to the anchor. */
  private synchronized void noteRequest(int bytes) {
    if (untilDeaf != NEVER) {
      untilDeaf = Math.max(NEVER, untilDeaf - bytes);
      if (untilDeaf == NEVER) {
        deaf = true;
        thread(this::hearAgain);
      }
    }
  }

  private void hearAgain() {
    try {
      Thread.sleep(DEAF_MILLIS);
      cut();
    } catch (IOException e) {
      // they are closed one way or the other
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        deaf = false;
      }
    }
  }

  private synchronized boolean isDeaf() {
    return deaf;
  }

  private synchronized boolean isTimeToCut(int bytes) {
    if (untilCut == NEVER) {
      return false;
    }
    untilCut = Math.max(NEVER, untilCut - bytes);
    return untilCut == NEVER;
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
          int port = target;
          if (port == 0) {
            throw new IOException("The anchor is gone.");
          }
          SocketChannel onward = SocketChannel.open(loopback(port));
          channels.add(client);
          channels.add(onward);
          thread(() -> pass(client, onward, true));
          thread(() -> pass(onward, client, false));
        } catch (IOException e) {
          // the anchor is gone
          client.close();
        }
      } catch (IOException e) {
        // closed, or this one connection failed
      }
    }
  }

  private void pass(SocketChannel from, SocketChannel to, boolean toAnchor) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
    try (from;
        to) {
      while (from.read(buffer.clear()) >= 0) {
        awaitRelease();
        buffer.flip();
        if (toAnchor) {
          noteRequest(buffer.remaining());
        } else if (isDeaf()) {
          continue;
        }
        boolean last = isTimeToCut(buffer.remaining());
        buffer.limit(last ? buffer.limit() / 2 : buffer.limit());
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
        if (last) {
          cut();
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
