package io.deepvm.cluster.log;

import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Recorder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Translates the events of a real run into those of the simulator, so that both can be compared.
 */
public final class Retelling {

  private final Recorder recorder;
  private final @Nullable Double samplesPerUnit;
  private final History history = new History();
  private final Map<String, Integer> numbers = new LinkedHashMap<>();

  private Retelling(Recorder recorder, @Nullable Double samplesPerUnit) {
    this.recorder = recorder;
    this.samplesPerUnit = samplesPerUnit;
  }

  /**
   * Records all events, in the market's time.
   *
   * @param samplesPerUnit how many samples a unit of the plan's work is; null if unknown: then no
   *     progress is recorded
   */
  public static void tell(List<Logged> events, @Nullable Double samplesPerUnit, Recorder recorder) {
    Retelling retelling = new Retelling(recorder, samplesPerUnit);
    events.forEach(retelling::tell);
  }

  private void tell(Logged logged) {
    long safeBefore = history.safeStep();
    history.add(logged);
    double at = logged.marketMs() / 1000.0;
    Event event = logged.event();
    if (event instanceof Event.Rented e) {
      numbers.put(e.node(), numbers.size());
      recorder.rented(number(e.node()), e.pool(), e.market(), at);
      recorder.turned(number(e.node()), Activity.BOOTING, at);
    } else if (event instanceof Event.NodeTurned e) {
      turned(e, at);
    } else if (event instanceof Event.Progress || event instanceof Event.Joined) {
      progressed(at);
    } else if (history.safeStep() > safeBefore) {
      recorder.checkpointed(at);
      progressed(at);
    }
    recorder.spent(history.status().cost().dollars(), at);
  }

  private void turned(Event.NodeTurned e, double at) {
    int node = number(e.node());
    switch (e.to()) {
      case REQUESTED, BOOTING -> recorder.turned(node, Activity.BOOTING, at);
      case READY -> recorder.turned(node, Activity.WAITING, at);
      case TRAINING -> recorder.turned(node, Activity.USEFUL, at);
      case NOTICED -> recorder.noticed(node, at);
      case LOST -> recorder.ended(node, true, at);
      case RELEASED, FAILED, REFUSED -> recorder.ended(node, false, at);
    }
  }

  private void progressed(double at) {
    if (samplesPerUnit != null) {
      RunStatus status = history.status();
      recorder.progressed(
          status.samples() / samplesPerUnit, status.safeSamples() / samplesPerUnit, at);
    }
  }

  private int number(String node) {
    Integer number = numbers.get(node);
    if (number == null) {
      throw new IllegalStateException("The node %s was never rented.".formatted(node));
    }
    return number;
  }
}
