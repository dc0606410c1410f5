package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Role;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsTest {

  @TempDir Path folder;

  @Test
  void aRunWhoseCoordinatorDoesNotEndItInTimeIsNotOverAndItsOpenMachinesAreNamed()
      throws Exception {
    Path home = folder.resolve("run");
    RunFolder made = RunFolder.create(home, Scene.spec("stuck", Scene.member(folder, 10, 20)));
    try (EventLog log = EventLog.open(made.events())) {
      Event[] events = {
        new Event.Started("stuck", 1, 1, 1, 0),
        new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1),
        new Event.Rented("n2", Role.WORKER, 0, "here", Market.SPOT, 1),
        new Event.Rented("n3", Role.WORKER, 0, "here", Market.SPOT, 1),
        new Event.Gone("n2", "ENDED"),
        new Event.RunTurned(RunPhase.STOPPING, "enough", RunPhase.STOPPED),
      };
      for (Event event : events) {
        log.append(new Logged(1, 1, event));
      }
    }
    try (RunFolder.Hold hold = made.hold()) {
      assertThat(hold).isNotNull();
      assertThat(Runs.stop(home, "enough", Duration.ofMillis(100)).state())
          .isEqualTo(RunPhase.STOPPING);
    }
    assertThat(Runs.unconfirmed(home)).containsExactly("n1", "n3");
  }
}
