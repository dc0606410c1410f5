package io.deepvm.cluster.keeper;

import java.io.IOException;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Testable;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections that go on with the same session until the server says that it is over.
 *
 * <p>Curator by itself gives a session up once it was out of touch for as long as the session may
 * be silent. A server that was killed and comes back with its data still has it, though, and with
 * it everything that was registered.
 */
final class OneSession implements ZookeeperFactory {

  private final Runnable expired;
  private @Nullable ZooKeeper last;
  private volatile boolean over;

  /**
   * Makes a factory.
   *
   * @param expired called when the server has said that the session is over
   */
  OneSession(Runnable expired) {
    this.expired = expired;
  }

  /** From now on, closing a connection ends the session. */
  void end() {
    over = true;
  }

  @Override
  public ZooKeeper newZooKeeper(
      String address, int sessionMs, Watcher watcher, boolean canBeReadOnly) throws IOException {
    return make(address, sessionMs, watcher, canBeReadOnly);
  }

  @Override
  public ZooKeeper newZooKeeper(
      String address,
      int sessionMs,
      Watcher watcher,
      boolean canBeReadOnly,
      @Nullable ZKClientConfig config)
      throws IOException {
    return make(address, sessionMs, watcher, canBeReadOnly);
  }

  private synchronized ZooKeeper make(
      String address, int sessionMs, Watcher watcher, boolean canBeReadOnly) throws IOException {
    Watcher ears =
        event -> {
          if (event.getState() == Watcher.Event.KeeperState.Expired) {
            forget();
            expired.run();
          }
          watcher.process(event);
        };
    ZooKeeper before = last;
    ZooKeeper next =
        before == null || before.getSessionId() == 0
            ? new Patient(address, sessionMs, ears, canBeReadOnly)
            : new Patient(address, sessionMs, ears, before, canBeReadOnly);
    last = next;
    return next;
  }

  private synchronized void forget() {
    last = null;
    over = true;
  }

  /**
   * A connection that neither Curator's impatience nor its being replaced can end the session of.
   */
  @SuppressWarnings("try")
  private final class Patient extends ZooKeeper {

    Patient(String address, int sessionMs, Watcher watcher, boolean canBeReadOnly)
        throws IOException {
      super(address, sessionMs, watcher, canBeReadOnly);
    }

    Patient(String address, int sessionMs, Watcher watcher, ZooKeeper before, boolean canBeReadOnly)
        throws IOException {
      super(
          address,
          sessionMs,
          watcher,
          before.getSessionId(),
          before.getSessionPasswd(),
          canBeReadOnly);
    }

    @Override
    public Testable getTestable() {
      Testable real = super.getTestable();
      return new Testable() {
        @Override
        public void injectSessionExpiration() {}

        @Override
        public void queueEvent(WatchedEvent event) {
          real.queueEvent(event);
        }

        @Override
        public void closeSocket() throws IOException {
          real.closeSocket();
        }
      };
    }

    @Override
    public synchronized void close() throws InterruptedException {
      if (over) {
        super.close();
      } else {
        cnxn.disconnect();
      }
    }

    @Override
    public boolean close(int waitMs) throws InterruptedException {
      if (over) {
        return super.close(waitMs);
      }
      cnxn.disconnect();
      return true;
    }
  }
}
