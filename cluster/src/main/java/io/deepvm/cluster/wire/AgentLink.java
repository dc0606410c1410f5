package io.deepvm.cluster.wire;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator's connection to one agent. When it breaks it is opened again; when the agent's
 * machine says that nobody listens there, the agent is gone.
 */
public final class AgentLink implements AutoCloseable {

  private static final int CONNECT_MS = 1_000;
  private static final int AGAIN_MS = 20;

  private final String host;
  private final int port;
  private final String token;
  private final Consumer<Message> messages;
  private final Runnable gone;
  private volatile boolean closed;
  private final Deque<Command> untold = new ArrayDeque<>();
  private @Nullable Line line;

  private AgentLink(
      String host, int port, String token, Consumer<Message> messages, Runnable gone) {
    this.host = host;
    this.port = port;
    this.token = token;
    this.messages = messages;
    this.gone = gone;
  }

  /** Connects in the background and stays connected until closed. */
  public static AgentLink open(
      String name, String host, int port, String token, Consumer<Message> messages, Runnable gone) {
    AgentLink link = new AgentLink(host, port, token, messages, gone);
    AgentDoor.daemon("link-" + name, link::keep).start();
    return link;
  }

  /** Whether the command still has a meaning when it is heard later. */
  public static boolean keeps(Command command) {
    return !(command instanceof Command.Here
        || command instanceof Command.Kill
        || command instanceof Command.Received);
  }

  /** Tells the agent at once, and returns whether it could; else once it can be reached. */
  public boolean tell(Command command) {
    while (true) {
      Line to;
      synchronized (this) {
        to = line;
        if (to == null) {
          if (keeps(command)) {
            untold.add(command);
          }
          return false;
        }
      }
      try {
        to.send(command);
        return true;
      } catch (IOException e) {
        to.close();
        forget(to);
      }
    }
  }

  /** Nothing goes over this line any more; there may be another already. */
  private synchronized void forget(Line broken) {
    if (line == broken) {
      line = null;
    }
  }

  /** Whether somebody listens at the agent's port; a machine that does not answer counts as yes. */
  public boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
      return true;
    } catch (IOException e) {
      return !refused(e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (line != null) {
      line.close();
    }
  }

  private void keep() {
    while (!closed) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
        listen(socket);
      } catch (IOException e) {
        // Else it broke, or nobody answers in time: perhaps the next one lasts.
        if (refused(e)) {
          if (!closed) {
            closed = true;
            gone.run();
          }
          return;
        }
      }
      if (!closed) {
        pause();
      }
    }
  }

  private void listen(Socket socket) throws IOException {
    Line fresh = Line.open(socket, token, true);
    try (fresh) {
      fresh.send(new Command.Here());
      while (!ready(fresh)) {}
      while (!closed) {
        messages.accept(fresh.receive(Message.class));
      }
    } finally {
      forget(fresh);
    }
  }

  /** Tells the next of what was kept; true when that was all, and others may tell from now on. */
  private boolean ready(Line fresh) throws IOException {
    Command next;
    synchronized (this) {
      next = untold.peek();
      if (next == null || closed) {
        line = closed ? null : fresh;
        return true;
      }
    }
    fresh.send(next);
    synchronized (this) {
      untold.remove();
    }
    return false;
  }

  /** Whether the machine is there and nobody listens on it. */
  private static boolean refused(IOException e) {
    return e instanceof ConnectException && String.valueOf(e.getMessage()).contains("refused");
  }

  private void pause() {
    try {
      Thread.sleep(AGAIN_MS);
    } catch (InterruptedException e) {
      closed = true;
    }
  }
}
