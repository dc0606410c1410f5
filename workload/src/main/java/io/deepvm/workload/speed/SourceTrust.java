package io.deepvm.workload.speed;

import io.deepvm.catalog.speed.SpeedSource;

/**
 * How far a source's speeds stray, as standard deviations of the logarithm: cross-validated.
 *
 * @param noise of a ratio between two of its speeds
 * @param stack of its speeds against those of a user's own script on the same machine
 */
record SourceTrust(double noise, double stack) {

  static SourceTrust of(SpeedSource source) {
    String name = source.name();
    if (name.startsWith("mlperf")) {
      return new SourceTrust(0.12, 0.25); // the vendors' best
    } else if (name.startsWith("nv-")) {
      return new SourceTrust(0.12, 0.12);
    }
    return switch (name) {
      case "profet" -> new SourceTrust(0.06, 0.12);
      case "timm" -> new SourceTrust(0.08, 0.12);
      case "llm-foundry", "megatron-bridge" -> new SourceTrust(0.08, 0.15);
      case "cm-dare", "multicloud-study" -> new SourceTrust(0.06, 0.2);
      case "ryujaehun" -> new SourceTrust(0.15, 0.3); // hosts differ, and the batch is small
      case "gavel" -> new SourceTrust(0.5, 0.4); // limited by its hosts
      default -> new SourceTrust(0.06, 0.03); // the user's own
    };
  }
}
