package io.deepvm.catalog.refresh;

import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What of the whole market a snapshot has: what people rent to train. */
public final class SnapshotSelection {

  /** Machines with GPUs, by cloud, without those too old or retired to be worth their place. */
  private static final Map<String, Pattern> WORKERS =
      Map.of(
          "aws",
              Pattern.compile("(g4dn|g5|g6|g6e|gr6|g7|g7e|p3dn|p4d|p4de|p5|p5e|p5en|p6-\\w+)\\..*"),
          "gcp", Pattern.compile("(a2|a3|a4|g2|g4)-.*(?<!-nolssd)|n1-standard-.*(T4|V100)"),
          "azure", Pattern.compile("Standard_(NC.*_(T4_v3|A100_v4|H100_v5)|ND.*|NV.*_A10_v5)"),
          "lambda", Pattern.compile(".*"),
          "runpod",
              Pattern.compile(
                  "[1248]x_(A100|A40|B200|B300|H100|H200|L4|MI300X|RTX3090|RTX4090|RTX5090"
                      + "|RTX6000-Ada|RTXA5000|RTXA6000|RTXPRO6000).*"));

  /** Machines without GPUs that may hold checkpoints, by cloud. */
  private static final Map<String, Pattern> ANCHORS =
      Map.of(
          "aws",
              Pattern.compile(
                  "(t3|m5|m6i|m7i|c5|c5n|c6i|c6in|c7i|r6i|r7i)\\.(large|xlarge|2xlarge|4xlarge)"),
          "gcp", Pattern.compile("(e2|n2)-standard-(2|4|8|16)|c3-standard-(4|8|22)"),
          "azure", Pattern.compile("Standard_([DE](2|4|8|16)s_v5|F(2|4|8|16)s_v2)"),
          "lambda", Pattern.compile(".*"),
          "runpod", Pattern.compile("cpu5[cg]-(2|4|8|16)-.*"));

  private SnapshotSelection() {}

  /** Returns the clouds of the built-in snapshot. */
  static Set<String> clouds() {
    return WORKERS.keySet();
  }

  /** Returns the listings that belong into a snapshot. */
  public static List<Listing> of(List<Listing> market) {
    return market.stream().filter(SnapshotSelection::belongs).toList();
  }

  private static boolean belongs(Listing listing) {
    Machine machine = listing.machine();
    Pattern names = (machine.gpus() == null ? ANCHORS : WORKERS).get(machine.cloud());
    return names != null && names.matcher(machine.name()).matches();
  }
}
