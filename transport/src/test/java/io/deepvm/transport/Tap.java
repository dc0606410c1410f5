package io.deepvm.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An attacker on the path who knows no token. It relays what the two sides say, keeps a copy, and
 * may put bytes of its own behind what the client has sent.
 */
final class Tap implements AutoCloseable {

  /** What the attacker does with a connection. */
  interface Way {
    TransportWire client(SocketChannel channel) throws IOException;

    TransportWire server(SocketChannel channel) throws IOException;
  }

  /** Relays the bytes as they are. */
  static final Way AS_IT_IS =
      new Way() {
        @Override
        public TransportWire client(SocketChannel channel) {
          return new PlainWire(channel);
        }

        @Override
        public TransportWire server(SocketChannel channel) {
          return new PlainWire(channel);
        }
      };

  /** Ends TLS with a certificate of its own, and makes another TLS connection to the server. */
  static Way ownCertificate() {
    TlsKeys keys = TlsKeys.of(SelfSigned.make(), List.of());
    return new Way() {
      @Override
      public TransportWire client(SocketChannel channel) throws IOException {
        return TlsWire.server(channel, keys, false);
      }

      @Override
      public TransportWire server(SocketChannel channel) throws IOException {
        return TlsWire.client(channel, keys);
      }
    };
  }

  private final ServerSocketChannel listener;
  private final InetSocketAddress server;
  private final Way way;
  private final Set<SocketChannel> channels = ConcurrentHashMap.newKeySet();
  private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
  private final int injectAfter;
  private final byte[] injected;

  /**
   * Listens on loopback.
   *
   * @param injectAfter how many bytes of the client pass before the attacker's own
   */
  Tap(InetSocketAddress server, Way way, int injectAfter, byte[] injected) throws IOException {
    this.server = server;
    this.way = way;
    this.injectAfter = injectAfter;
    this.injected = injected;
    listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    thread(this::acceptAll);
  }

  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) listener.getLocalAddress();
  }

  /** Returns what the attacker could read, as text. */
  synchronized String seen() {
    return seen.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
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
        thread(() -> relay(client, onward));
      }
    } catch (IOException closed) {
      // The attacker has given up.
    }
  }

  private void relay(SocketChannel client, SocketChannel onward) {
    try {
      TransportWire left = way.client(client);
      TransportWire right = way.server(onward);
      left.handshake(() -> {});
      right.handshake(() -> {});
      thread(() -> pass(right, left, Integer.MAX_VALUE));
      pass(left, right, injectAfter);
    } catch (IOException refused) {
      // One of the two did not want to.
    }
  }

  private void pass(TransportWire from, TransportWire to, int injectHere) {
    ByteBuffer buffer = ByteBuffer.allocate(16 << 10);
    int passed = 0;
    try {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        synchronized (this) {
          seen.write(buffer.array(), 0, buffer.limit());
        }
        int before = passed;
        passed += buffer.remaining();
        to.write(buffer);
        if (before < injectHere && passed >= injectHere) {
          to.write(ByteBuffer.wrap(injected));
        }
      }
    } catch (IOException closed) {
      // One of the two is gone, and with it the other.
    } finally {
      from.close();
      to.close();
    }
  }

  private static void thread(Runnable task) {
    Thread thread = new Thread(task, "tap");
    thread.setDaemon(true);
    thread.start();
  }
}
