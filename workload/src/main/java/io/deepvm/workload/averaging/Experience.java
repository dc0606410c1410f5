package io.deepvm.workload.averaging;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the model was tried on, and where a question goes beyond that. */
public final class Experience {

  /** The errors that docs/explanation/averaging.md explains. */
  public static final String ERRORS =
      "On the 101 stable runs of the multi-cloud study at hand the median error of samples/s is"
          + " 1.8 %, the ninth decile 7.8 %, the worst 26 %; on the 27 to which no coefficient was"
          + " fitted 2.8, 12 and 23 %.";

  private static final int MOST_PEERS = 9;
  private static final double FEWEST_PARAMETERS = 11.7e6;
  private static final double MOST_PARAMETERS = 560.1e6;

  private Experience() {}

  /** Returns a sentence for everything about these peers that was never measured. */
  static List<String> beyond(TrainedModel model, Protocol protocol, int peers) {
    List<String> beyond = new ArrayList<>();
    if (peers == 1) {
      return beyond;
    }
    if (peers > MOST_PEERS) {
      beyond.add("%d peers, where 2 to 9 were measured".formatted(peers));
    }
    if (model.parameters() < FEWEST_PARAMETERS || model.parameters() > MOST_PARAMETERS) {
      beyond.add(
          String.format(
              Locale.ROOT,
              "%.3g million parameters, where 12 to 560 were measured",
              model.parameters() / 1e6));
    }
    if (protocol.compression() != Compression.FP16) {
      beyond.add("%s gradients, where fp16 was measured".formatted(protocol.compression()));
    }
    if (protocol.topology() != Topology.FULL_MESH) {
      beyond.add("averaging %s, which was not measured".formatted(protocol.topology()));
    }
    if (protocol.streams() > 1) {
      beyond.add("%d streams, where one was measured".formatted(protocol.streams()));
    }
    if (protocol.overlap()) {
      beyond.add("overlapped averaging, which was not measured");
    }
    return beyond;
  }
}
