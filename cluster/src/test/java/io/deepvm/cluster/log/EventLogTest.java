package io.deepvm.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogTest {

  @TempDir Path folder;

  @Test
  void allKindsOfEventsComeBackAsTheyWere() throws Exception {
    List<Event> events =
        List.of(
            new Event.Started("run", 60, 1, 2, 3),
            new Event.Resumed("again"),
            new Event.Broken("disk full"),
            new Event.RunTurned(RunPhase.FORMING, "so"),
            new Event.RunTurned(RunPhase.STOPPING, "so", RunPhase.FAILED),
            new Event.Priced(1, 2),
            new Event.Refused(0, Market.SPOT, 3, 1, "none"),
            new Event.Rented("n1", Role.SERVER, 0, "here", Market.ON_DEMAND, 5),
            new Event.Granted("n1", "7@8"),
            new Event.NodeTurned("n1", NodeState.BOOTING, "\"quoted\"\nlines"),
            new Event.Taken("n1", "market"),
            new Event.Generation(1, List.of("n1"), 2),
            new Event.Joined("n1", 1, 4, Report.Origin.PEER),
            new Event.Progress("n1", 1, 5, 320, 0.25, 1, 2, 3, 4),
            new Event.Saved("n1", 5, "FAILED", "disk full"),
            new Event.Suspected("n1", "n2", "reset"),
            new Event.Exited("n1", 1, 3, "tail"));
    Path path = folder.resolve("events.jsonl");
    try (EventLog log = EventLog.open(path)) {
      for (Event event : events) {
        log.append(new Logged(1, 2, event));
      }
    }
    assertThat(EventLog.read(path)).extracting(Logged::event).isEqualTo(events);
    assertThat(EventLog.read(path).get(0)).isEqualTo(new Logged(1, 2, events.get(0)));
  }

  @Test
  void aRunThatStopsWithoutSayingHowIsStopped() throws Exception {
    Path path = folder.resolve("events.jsonl");
    Files.writeString(path, "{\"event\":\"run\",\"to\":\"STOPPING\",\"reason\":\"enough\"}\n");
    History history = new History();
    EventLog.read(path).forEach(history::add);
    assertThat(history.outcome()).isEqualTo(RunPhase.STOPPED);
  }

  @Test
  void aLineThatACrashToreIsCutAway() throws Exception {
    Path path = folder.resolve("events.jsonl");
    try (EventLog log = EventLog.open(path)) {
      log.append(new Logged(1, 1, new Event.Resumed("first")));
    }
    Files.writeString(path, "{\"at\":2,\"market\":2,\"ev", StandardOpenOption.APPEND);
    assertThat(EventLog.read(path)).hasSize(1);
    try (EventLog log = EventLog.open(path)) {
      log.append(new Logged(3, 3, new Event.Resumed("second")));
    }
    assertThat(EventLog.read(path))
        .extracting(Logged::event)
        .containsExactly(new Event.Resumed("first"), new Event.Resumed("second"));
  }

  @Test
  void aFailedWriteLeavesNoPartOfALineBeforeTheNext() throws Exception {
    Path path = folder.resolve("events.jsonl");
    FullDisk disk = new FullDisk(path);
    try (EventLog log = new EventLog(disk)) {
      log.append(new Logged(1, 1, new Event.Resumed("first")));
      disk.roomBytes = 20;
      assertThatThrownBy(() -> log.append(new Logged(2, 2, new Event.Resumed("lost"))))
          .isInstanceOf(IOException.class);
      disk.roomBytes = Integer.MAX_VALUE;
      log.append(new Logged(3, 3, new Event.Broken("disk full")));
    }
    assertThat(EventLog.read(path))
        .extracting(Logged::event)
        .containsExactly(new Event.Resumed("first"), new Event.Broken("disk full"));
  }

  @Test
  void aReaderReturnsEachLineOnceItIsWhole() throws Exception {
    Path path = folder.resolve("events.jsonl");
    Files.writeString(path, "");
    try (EventReader reader = EventReader.open(path)) {
      assertThat(reader.next()).isEmpty();
      String first = "{\"atMs\":1,\"marketMs\":2,\"event\":\"resumed\",\"reason\":\"é\"}\n";
      Files.writeString(path, first + "{\"atMs\":3,", StandardOpenOption.APPEND);
      assertThat(reader.next())
          .containsExactly(
              new EventReader.Line(
                  first.getBytes(StandardCharsets.UTF_8).length,
                  first.strip(),
                  new Logged(1, 2, new Event.Resumed("é"))));
      assertThat(reader.next()).isEmpty();
      Files.writeString(path, "\"marketMs\":4,\"event\":\"alive\"}\n", StandardOpenOption.APPEND);
      assertThat(reader.next())
          .extracting(EventReader.Line::logged)
          .containsExactly(new Logged(3, 4, new Event.Alive()));
      assertThat(reader.begunAnew()).isFalse();
      Files.writeString(path, "");
      assertThat(reader.begunAnew()).isTrue();
    }
  }

  @Test
  void aReaderTakesALineThatIsLongerThanWhatItReadsAtOnce() throws Exception {
    Path path = folder.resolve("events.jsonl");
    Logged big = new Logged(1, 2, new Event.Resumed("x".repeat(3 << 19)));
    try (EventLog log = EventLog.open(path)) {
      log.append(big);
    }
    try (EventReader reader = EventReader.open(path)) {
      assertThat(reader.next()).extracting(EventReader.Line::logged).containsExactly(big);
    }
  }

  @Test
  void aWholeLineThatIsNoEventIsNamed() throws Exception {
    Path path = folder.resolve("events.jsonl");
    Files.writeString(path, "{\"event\":\"nonsense\"}\n");
    assertThatThrownBy(() -> EventLog.read(path))
        .isInstanceOf(BadInput.class)
        .hasMessageStartingWith("Line 1 of");
  }
}
