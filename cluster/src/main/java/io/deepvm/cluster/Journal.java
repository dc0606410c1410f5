package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Writes down everything that happens to a run, before anybody acts on it. */
final class Journal {

  private static final long ALIVE_MS = 5_000;

  private final History history;
  private final EventLog log;
  private final Setting setting;
  private final LongSupplier marketMs;
  private long writtenMs;

  /**
   * Begins where the log ends.
   *
   * @param marketMs the market's time, which each event is written with
   */
  Journal(Desk desk, Setting setting, LongSupplier marketMs) {
    this.history = desk.history();
    this.log = desk.log();
    this.setting = setting;
    this.marketMs = marketMs;
  }

  void write(Event event) {
    write(new Logged(setting.clock().millis(), marketMs.getAsLong(), event));
  }

  /** Writes down what happened at another moment than this. */
  void write(Logged logged) {
    history.add(logged);
    writtenMs = Math.max(writtenMs, logged.atMs());
    try {
      log.append(logged);
    } catch (IOException e) {
      throw unwritable(e);
    }
    setting.listener().accept(logged);
  }

  void turn(Node node, NodeState to, String reason) {
    write(new Event.NodeTurned(node.name(), to, reason));
  }

  void turn(RunState to, String reason) {
    write(new Event.RunTurned(to, reason));
  }

  /** Writes that the run goes on, if nothing else has said so for a while: it is paid by that. */
  void writeAlive() {
    if (setting.clock().millis() - writtenMs > ALIVE_MS) {
      write(new Event.Alive());
    }
  }

  /** Returns when all that was written is on disk. */
  void sync() {
    try {
      log.sync();
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  private static IllegalStateException unwritable(IOException cause) {
    return new IllegalStateException("The log of the run cannot be written.", cause);
  }
}
