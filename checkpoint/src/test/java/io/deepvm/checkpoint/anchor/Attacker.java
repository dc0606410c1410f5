package io.deepvm.checkpoint.anchor;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * An attacker on the path who knows no token: relays what the two sides say, and puts bytes of its
 * own behind the first ones of the client.
 */
final class Attacker implements AutoCloseable {

  private final ServerSocket listener;
  private final InetSocketAddress server;
  private final int after;
  private final byte[] injected;
  private final CountDownLatch done = new CountDownLatch(1);
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  Attacker(InetSocketAddress server, int after, byte[] injected) throws IOException {
    this.server = server;
    this.after = after;
    this.injected = injected.clone();
    listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    thread(this::acceptAll);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** Waits until the attack has been made. */
  void awaitInjected() throws InterruptedException {
    if (!done.await(20, TimeUnit.SECONDS)) {
      throw new AssertionError("The client never sent %d bytes.".formatted(after));
    }
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket onward = new Socket(server.getAddress(), server.getPort());
        sockets.add(client);
        sockets.add(onward);
        thread(() -> pass(client, onward, after));
        thread(() -> pass(onward, client, Integer.MAX_VALUE));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void pass(Socket from, Socket to, int injectAfter) {
    byte[] buffer = new byte[4096];
    int passed = 0;
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        int before = passed;
        passed += read;
        out.write(buffer, 0, read);
        if (before < injectAfter && passed >= injectAfter) {
          out.write(injected);
          done.countDown();
        }
      }
    } catch (IOException closed) {
      // One of the two is gone, and with it the other.
    }
  }

  private static void thread(Runnable task) {
    Thread thread = new Thread(task, "attacker");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
