package io.deepvm.cluster.keeper;

import io.deepvm.units.BadInput;
import io.deepvm.units.PrivateFiles;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * A ZooKeeper server in this process, whose data come back from its folder after a crash. It has
 * neither an administration page nor beans, and answers no command but "srvr", which it tells its
 * version and counters by and cannot be forbidden.
 */
public final class KeeperServer implements AutoCloseable {

  private static final int TICK_MS = 250;
  private static final int LEAST_SESSION_MS = 500;
  private static final int MOST_SESSION_MS = 60_000;
  private static final int CONNECTIONS_PER_HOST = 4096;
  private static final int LOG_BLOCK_KIB = 256;

  /** Kept, because a level set on a logger that nobody holds is forgotten. */
  private static final Logger[] LOGGERS = {
    Logger.getLogger("org.apache.zookeeper"), Logger.getLogger("org.apache.curator")
  };

  private final ServerCnxnFactory factory;
  private final ZooKeeperServer server;
  private final FileTxnSnapLog data;

  private KeeperServer(ServerCnxnFactory factory, ZooKeeperServer server, FileTxnSnapLog data) {
    this.factory = factory;
    this.server = server;
    this.data = data;
  }

  /** Keeps both libraries' everyday talk out of people's sight. */
  static void hush() {
    for (Logger logger : LOGGERS) {
      logger.setLevel(Level.SEVERE);
    }
  }

  /**
   * Starts a server on the folder's data.
   *
   * @param port 0 for any free one
   */
  public static KeeperServer start(Path folder, String host, int port) throws IOException {
    hush();
    System.setProperty("zookeeper.4lw.commands.whitelist", "none");
    System.setProperty("zookeeper.admin.enableServer", "false");
    FileTxnLog.setPreallocSize(LOG_BLOCK_KIB * 1024L);
    PrivateFiles.folder(folder);
    FileTxnSnapLog data = new FileTxnSnapLog(folder.toFile(), folder.toFile());
    ServerCnxnFactory factory = new NIOServerCnxnFactory();
    try {
      ZooKeeperServer server =
          new Quiet(data, TICK_MS, LEAST_SESSION_MS, MOST_SESSION_MS, new ZKDatabase(data));
      factory.configure(new InetSocketAddress(host, port), CONNECTIONS_PER_HOST);
      factory.startup(server);
      return new KeeperServer(factory, server, data);
    } catch (BindException e) {
      factory.shutdown();
      data.close();
      throw new BadInput(
          "The coordinator cannot listen on %s:%d: %s.".formatted(host, port, e.getMessage()),
          "Maybe another program has the port: choose another, or 0 for any free one.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      factory.shutdown();
      data.close();
      throw new IOException("Interrupted while the server started.", e);
    } catch (IOException | RuntimeException e) {
      factory.shutdown();
      data.close();
      throw e;
    }
  }

  /** The port it listens on. */
  public int port() {
    return factory.getLocalPort();
  }

  /** The longest silence that a session may be given to survive. */
  public static Duration longestSession() {
    return Duration.ofMillis(MOST_SESSION_MS);
  }

  @Override
  public void close() throws IOException {
    factory.shutdown();
    server.shutdown();
    data.close();
  }

  /** A server that tells the platform's beans nothing. */
  private static final class Quiet extends ZooKeeperServer {

    Quiet(FileTxnSnapLog data, int tickMs, int leastMs, int mostMs, ZKDatabase database) {
      super(data, tickMs, leastMs, mostMs, -1, database, "");
    }

    @Override
    protected void registerJMX() {}

    @Override
    protected void unregisterJMX() {}
  }
}
