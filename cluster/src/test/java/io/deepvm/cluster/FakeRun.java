package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.revocation.Revocations;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.policy.InPlace;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A run on a clock that a test moves. It wants two spot nodes, which are rented and never report:
 * the test writes what they do.
 */
record FakeRun(Coordinator coordinator) {

  /** A place whose nodes are rented and never report. */
  private static final class Silent implements Provider {
    @Override
    public String coordinatorHost() {
      return "127.0.0.1";
    }

    @Override
    public int limit() {
      return 100;
    }

    @Override
    public void open(RunFolder ofRun) {}

    @Override
    public String rent(NodeRequest request, Runnable gone) {
      return request.node();
    }

    @Override
    public boolean adopt(String node, String handle, Runnable gone) {
      return false;
    }

    @Override
    public boolean alive(String node) {
      return false;
    }

    @Override
    public void end(String node) {}

    @Override
    public void close() {}
  }

  /** Starts a run in the folder. */
  @SuppressWarnings("NullAway") // there is no ZooKeeper, as nobody answers
  static FakeRun start(
      Path folder,
      FakeTime time,
      Future course,
      double speed,
      @Nullable Emulation emulation,
      RunListener listener)
      throws IOException {
    RunSpec spec = RunSpec.of("fake", Scene.script(folder, 0, "true")).withPatience(1e6, 0.3, 5, 1);
    RunFolder run = RunFolder.create(folder.resolve("run"), spec);
    Setting setting =
        new Setting(
            new Silent(),
            course.market(),
            course.firstTick(),
            speed,
            Scene.scenario(1, 2, 1e6),
            new InPlace(new int[] {2}, new int[] {0}),
            new Revocations.OfMarket(),
            7,
            time,
            emulation,
            listener);
    Desk desk =
        new Desk(
            null,
            EventLog.open(run.events()),
            new History(),
            null,
            null,
            "127.0.0.1:1",
            setting.provider());
    Coordinator coordinator = new Coordinator(run, setting, desk, time);
    coordinator.player().open(0);
    coordinator.journal().write(new Event.Started("fake", speed, 1, 0, 0));
    coordinator.player().begin();
    coordinator.loop().every(200, coordinator::control);
    coordinator.loop().afterEach(coordinator.player()::checkPace);
    return new FakeRun(coordinator);
  }

  /** Writes what happened, as the coordinator would. */
  void write(Event... events) {
    coordinator
        .loop()
        .post(
            () -> {
              for (Event event : events) {
                coordinator.journal().write(event);
              }
            });
  }

  double marketSeconds() {
    return coordinator.player().now();
  }
}
