package io.deepvm.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Place;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunState;
import io.deepvm.market.Pool;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A new kind of event must be known to all that read events. */
class EveryEventTest {

  @TempDir Path folder;

  static Stream<Class<?>> kinds() {
    return Arrays.stream(Event.class.getPermittedSubclasses());
  }

  /** Makes an event of any values. */
  private static Event any(Class<?> kind) throws Exception {
    RecordComponent[] parts = kind.getRecordComponents();
    Class<?>[] types = Arrays.stream(parts).map(RecordComponent::getType).toArray(Class[]::new);
    Object[] values = Arrays.stream(types).map(EveryEventTest::value).toArray();
    return (Event) kind.getDeclaredConstructor(types).newInstance(values);
  }

  private static Object value(Class<?> type) {
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return Map.<Class<?>, Object>of(
            String.class,
            "n1",
            List.class,
            List.of("n1"),
            int.class,
            1,
            Integer.class,
            1,
            long.class,
            1L,
            double.class,
            1.0,
            boolean.class,
            true)
        .getOrDefault(type, "");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void everyKindOfEventComesBackFromTheLog(Class<?> kind) throws Exception {
    Logged logged = new Logged(1, 2, any(kind));
    Path path = folder.resolve("events.jsonl");
    try (EventLog log = EventLog.open(path)) {
      log.append(logged);
    }
    assertThat(EventLog.read(path)).containsExactly(logged);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void everyKindOfEventHasARuleInTheHistoryAndInTheState(Class<?> kind) throws Exception {
    Logged logged = new Logged(1, 2, any(kind));
    Work work =
        new Work(
            List.of("train"),
            Work.Kind.MEMBER,
            Map.of(),
            "",
            0,
            "",
            new Work.Timeouts(6, 40, 2, 20, 30));
    Pool pool = new Pool(new Place("sim", "here", "here-0"), "small");
    Event.Started started = new Event.Started("run", 1, 1, 0, 0);
    RunFacts facts = new RunFacts(RunSpec.of("run", work), List.of(pool), 9, 1, 0, started);
    assertHasARule(() -> new History().add(logged));
    assertHasARule(() -> RunState.of(facts).after(logged));
  }

  /** The event may not fit a new run, but it must be known. */
  private static void assertHasARule(ThrowingCallable reader) {
    Throwable thrown = Assertions.catchThrowable(reader);
    assertThat(thrown == null ? "" : String.valueOf(thrown.getMessage()))
        .doesNotContain("No rule for the event");
  }
}
