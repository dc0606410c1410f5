package io.deepvm.studies.skynomad;

import java.util.Set;

/** The original's tables of traffic: dollars per GB and seconds between regions. */
final class ArtifactEgress {

  private static final double SAME_CONTINENT_MBPS = 8200;
  private static final double OTHER_CONTINENT_MBPS = 3590;
  private static final double DISK_MBPS = 9720;

  private static final Set<String> AMERICA =
      Set.of("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1");

  private ArtifactEgress() {}

  /** Returns the region of a zone such as us-east-1c_v100_1 or us-east4-a_h100_16. */
  static String region(String zone) {
    int end = zone.indexOf('_');
    String place = end < 0 ? zone : zone.substring(0, end);
    String region = place.substring(0, place.length() - 1);
    return region.endsWith("-") ? region.substring(0, region.length() - 1) : region;
  }

  /** Returns the dollars per GB from one region to another. */
  static double perGb(String from, String to) {
    if (from.equals(to)) {
      return 0;
    }
    Set<String> both = Set.of(from, to);
    if (both.equals(Set.of("us-east-1", "us-east-2"))) {
      return 0.01;
    }
    if (from.contains("gov") || to.contains("gov")) {
      return 0.03;
    }
    if (AMERICA.contains(from)) {
      return 0.02;
    }
    boolean south = to.startsWith("me-") || to.startsWith("af-") || to.startsWith("il-");
    if (from.equals("ca-west-1")) {
      return to.startsWith("eu-") ? 0.05 : south ? 0.14 : 0.02;
    }
    if (from.equals("mx-central-1")) {
      return south ? 0.14 : 0.02;
    }
    if (from.startsWith("eu-")) {
      boolean edge = to.equals("ca-west-1") || to.equals("mx-central-1");
      return edge ? 0.05 : to.equals("ap-southeast-7") ? 0.08 : 0.02;
    }
    if (from.startsWith("ap-")) {
      return to.startsWith("ap-") ? 0.08 : south ? 0.11 : 0.02;
    }
    if (from.startsWith("me-")) {
      return 0.085;
    }
    if (from.startsWith("sa-")) {
      return 0.138;
    }
    if (from.startsWith("af-")) {
      return 0.147;
    }
    return from.equals("il-central-1") && to.startsWith("ap-") ? 0.15 : 0.02;
  }

  /** Returns the seconds of a transfer beyond the time to read the data. */
  static double seconds(String from, String to, double gb) {
    if (from.equals(to)) {
      return 0;
    }
    double megabits = gb * 8 * 1024;
    double mbps =
        continent(from).equals(continent(to)) ? SAME_CONTINENT_MBPS : OTHER_CONTINENT_MBPS;
    return megabits / mbps - megabits / DISK_MBPS;
  }

  private static String continent(String region) {
    int end = region.indexOf('-');
    return end < 0 ? region : region.substring(0, end);
  }
}
