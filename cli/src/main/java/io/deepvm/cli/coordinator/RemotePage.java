package io.deepvm.cli.coordinator;

import io.deepvm.base.BadInput;
import io.deepvm.places.ssh.CoordinatorHost;
import io.deepvm.places.ssh.SshHost;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A page that a host serves on its loopback, led to the same port of this machine's. */
final class RemotePage implements AutoCloseable {

  private static final long ADDRESS_SECONDS = 60;
  private static final long POLL_MS = 50;
  private static final long TUNNEL_MS = 20_000;

  private final Process server;
  private final Process tunnel;
  private final URI address;

  private RemotePage(Process server, Process tunnel, URI address) {
    this.server = server;
    this.tunnel = tunnel;
    this.address = address;
  }

  /**
   * Waits for the page's address, and leads its port here.
   *
   * @param server prints the address of the page, and serves it until it is ended
   */
  static RemotePage open(Process server, CoordinatorHost host, SshHost name) throws IOException {
    Process tunnel = null;
    try {
      URI address = URI.create(firstLine(server, name));
      requireFree(address.getPort());
      tunnel = host.tunnel(address.getPort());
      awaitPort(address.getPort(), tunnel, name);
      return new RemotePage(server, tunnel, address);
    } catch (IOException | RuntimeException e) {
      end(tunnel);
      end(server);
      throw e;
    }
  }

  private static String firstLine(Process server, SshHost name) throws IOException {
    BufferedReader out = server.inputReader(StandardCharsets.UTF_8);
    CompletableFuture<@Nullable String> line = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                line.complete(out.readLine());
                while (out.readLine() != null) {
                  // The page says no more that matters.
                }
              } catch (IOException e) {
                line.complete(null);
              }
            },
            "remote-page");
    reader.setDaemon(true);
    reader.start();
    String first = null;
    try {
      first = line.get(ADDRESS_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Said below.
    }
    if (first == null || !first.startsWith("http://127.0.0.1:")) {
      throw new BadInput(
          "%s did not serve the page.".formatted(name.name()),
          "Maybe see whether it answers: deepvm status.");
    }
    return first;
  }

  private static void requireFree(int port) {
    try {
      new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    } catch (IOException e) {
      throw new BadInput(
          "The page needs port %d of this machine, which another program has.".formatted(port),
          "Maybe end that program.");
    }
  }

  private static void awaitPort(int port, Process tunnel, SshHost name) throws IOException {
    for (long waited = 0; tunnel.isAlive() && waited < TUNNEL_MS; waited += POLL_MS) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        pause();
      }
    }
    throw new BadInput(
        "%s does not let its port %d be led here.".formatted(name.name(), port),
        "Maybe its sshd forbids it: AllowTcpForwarding.");
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  /** Returns the address to open here, which contains the token. */
  URI address() {
    return address;
  }

  /** Waits until the page ends, or this thread is interrupted. */
  void await() {
    try {
      while (server.isAlive() && tunnel.isAlive()) {
        Thread.sleep(POLL_MS);
      }
    } catch (InterruptedException e) {
      // The page is to be closed.
    }
  }

  @Override
  public void close() {
    end(tunnel);
    end(server);
  }

  private static void end(@Nullable Process process) {
    if (process != null) {
      process.destroy();
    }
  }
}
