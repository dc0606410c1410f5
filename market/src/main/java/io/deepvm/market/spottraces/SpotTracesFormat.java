package io.deepvm.market.spottraces;

import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import io.deepvm.market.Polarity;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.TraceFormat;
import io.deepvm.market.json.TraceJson;

/**
 * Reads spot-traces JSON, where a number counts the nodes that are available. A file of noughts and
 * ones that says nothing else could as well be a simulator's, where 1 is preempted: that is never
 * guessed.
 */
public final class SpotTracesFormat implements TraceFormat {

  @Override
  public String name() {
    return "spot-traces";
  }

  @Override
  public boolean recognises(String opening) {
    return opening.stripLeading().startsWith("{") && opening.contains("\"gap_seconds\"");
  }

  @Override
  public boolean countsAvailable() {
    return false;
  }

  @Override
  public Recording read(TextSource source, ReadOptions options) {
    TraceJson json = TraceJson.read(source);
    Polarity stated = options.polarity();
    if (stated != null) {
      return json.recording(source.stem(), stated, options, "it was stated");
    }
    if (name().equals(options.format())) {
      return json.recording(source.stem(), Polarity.AVAILABLE, options, "the format was stated");
    }
    if (json.counts()) {
      return json.recording(
          source.stem(), Polarity.AVAILABLE, options, "numbers above 1 can only be counts");
    }
    throw new BadInput(
        "%s does not say whether 1 means available, as in spot-traces, or preempted, as in simulators."
            .formatted(source.label()),
        "Maybe state --polarity available or --polarity preempted.");
  }
}
