package io.deepvm.cluster;

import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.cluster.keeper.KeeperServer;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.History;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What only the one coordinator of a run has open: its folder, its log, its ZooKeeper and its
 * provider.
 *
 * @param history what the log says so far
 * @param server its own ZooKeeper; null if it is an external one
 * @param address where the ZooKeeper is, "host:port"
 */
record Desk(
    RunFolder.Hold hold,
    EventLog log,
    History history,
    @Nullable KeeperServer server,
    Keeper keeper,
    String address,
    Provider provider)
    implements AutoCloseable {

  static final Duration KEEPER_PATIENCE = Duration.ofSeconds(30);

  /** Longer than the agents': a busy machine must not make the coordinator give up its run. */
  private static final Duration SESSION = Duration.ofSeconds(15);

  /** Opens all of it, or nothing. */
  static Desk open(RunFolder folder, Provider provider) throws IOException, InterruptedException {
    RunFolder.Hold hold = folder.hold();
    if (hold == null) {
      throw new BadInput(
          "Another coordinator looks after the run in %s.".formatted(folder.path()),
          "Maybe ask for its status, or stop it first.");
    }
    EventLog log = null;
    KeeperServer server = null;
    try {
      RunSpec spec = folder.spec();
      History history = new History();
      log = EventLog.open(folder.events());
      EventLog.read(folder.events()).forEach(history::add);
      if (history.state().isEnd()) {
        throw new BadInput(
            "The run in %s is over: %s (%s)."
                .formatted(folder.path(), history.state(), history.status().reason()),
            "Maybe start a new one in another folder.");
      }
      provider.open(folder);
      String address = spec.keeper();
      if (address.isEmpty()) {
        String host = provider.coordinatorHost();
        int last = folder.keeperPort();
        server = KeeperServer.start(folder.keeper(), host, last == 0 ? spec.keeperPort() : last);
        folder.keepPort(server.port());
        address = host + ":" + server.port();
      }
      Keeper keeper =
          Keeper.connect(address, spec.name(), folder.token(), SESSION, KEEPER_PATIENCE);
      return new Desk(hold, log, history, server, keeper, address, provider);
    } catch (IOException | InterruptedException | RuntimeException e) {
      provider.close();
      close(server, log, hold);
      throw e;
    }
  }

  private static void close(
      @Nullable KeeperServer server, @Nullable EventLog log, RunFolder.Hold hold) {
    try (hold;
        log;
        server) {
      // In the order opposite to that of opening.
    } catch (IOException e) {
      // Nothing is lost: what was logged is on disk.
    }
  }

  @Override
  public void close() {
    provider.close();
    keeper.close();
    close(server, log, hold);
  }
}
