package io.deepvm.cluster.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where an agent listens to the coordinator; the newest connection is the one that counts. */
public final class AgentDoor implements AutoCloseable {

  private static final int WAITING_ROOM = 16;

  private final ServerSocket server;
  private final String token;
  private final Supplier<List<Message>> news;
  private final Consumer<Command> commands;
  private @Nullable Line line;

  private AgentDoor(
      ServerSocket server, String token, Supplier<List<Message>> news, Consumer<Command> commands) {
    this.server = server;
    this.token = token;
    this.news = news;
    this.commands = commands;
  }

  /**
   * Listens on any free port of the address.
   *
   * @param news what a coordinator that connects needs to know of what happened before
   */
  public static AgentDoor open(
      String host, String token, Supplier<List<Message>> news, Consumer<Command> commands)
      throws IOException {
    ServerSocket server = new ServerSocket(0, WAITING_ROOM, InetAddress.getByName(host));
    AgentDoor door = new AgentDoor(server, token, news, commands);
    daemon("agent-door", door::accept).start();
    return door;
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Tells the coordinator; what nobody hears is told again to the next one by the news. */
  public void tell(Message message) {
    Line to;
    synchronized (this) {
      to = line;
    }
    if (to != null) {
      try {
        to.send(message);
      } catch (IOException e) {
        to.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    synchronized (this) {
      if (line != null) {
        line.close();
      }
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        daemon("agent-line", () -> serve(socket)).start();
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        Line fresh = Line.open(socket, token, false)) {
      synchronized (this) {
        if (line != null) {
          line.close();
        }
        line = fresh;
      }
      for (Message message : news.get()) {
        fresh.send(message);
      }
      while (true) {
        commands.accept(fresh.receive(Command.class));
      }
    } catch (IOException e) {
      // The coordinator comes back if it lives.
    }
  }

  static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
