package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The constants of the averaging model; the resource coefficients.csv says where each is from.
 *
 * @param secondsPerMillionParameters to pack, sum and apply gradients on a large host
 * @param secondsPerHundredTensors the same by the number of tensors
 * @param secondsPerHundredTensorsAndPeer the same for each peer but the first
 * @param smallHost how many times as long a small host takes
 * @param backbone share of the ideal time of the slowest link that is felt, in large clouds
 * @param internet the same over the internet
 * @param matchmakingSharpness how sharply the longer of calculating and matchmaking decides
 * @param crowding the power of 2/N with which a link's time falls; 1 if streams never met
 * @param transitCrowding the same where all streams share an internet path
 * @param matchmakingSlackSeconds what matchmaking takes beyond its stated time
 * @param accumulationBytes memory traffic of a micro-batch per parameter
 * @param trafficOverhead bytes sent per byte of gradients
 * @param internetStreams the power of the number of streams with which they carry more over the
 *     internet; inside a large cloud it is 1
 */
public record Coefficients(
    double secondsPerMillionParameters,
    double secondsPerHundredTensors,
    double secondsPerHundredTensorsAndPeer,
    double smallHost,
    double backbone,
    double internet,
    double matchmakingSharpness,
    double crowding,
    double transitCrowding,
    double matchmakingSlackSeconds,
    double accumulationBytes,
    double trafficOverhead,
    double internetStreams) {

  /** The names of the seven that measurements decide, in the record's order. */
  public static final List<String> FITTED =
      List.of(
          "secondsPerMillionParameters",
          "secondsPerHundredTensors",
          "secondsPerHundredTensorsAndPeer",
          "smallHost",
          "backbone",
          "internet",
          "matchmakingSharpness");

  /** The constants that hold unless others were fitted. */
  public static final Coefficients STUDY = read();

  private static Coefficients read() {
    Map<String, Double> values = new HashMap<>();
    for (String[] row : Resource.rows("coefficients.csv")) {
      values.put(row[0], Double.valueOf(row[1]));
    }
    return new Coefficients(
        of(values, "secondsPerMillionParameters"),
        of(values, "secondsPerHundredTensors"),
        of(values, "secondsPerHundredTensorsAndPeer"),
        of(values, "smallHost"),
        of(values, "backbone"),
        of(values, "internet"),
        of(values, "matchmakingSharpness"),
        of(values, "crowding"),
        of(values, "transitCrowding"),
        of(values, "matchmakingSlackSeconds"),
        of(values, "accumulationBytes"),
        of(values, "trafficOverhead"),
        of(values, "internetStreams"));
  }

  private static double of(Map<String, Double> values, String name) {
    Double value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("coefficients.csv lacks %s.".formatted(name));
    }
    return value;
  }

  /** The seven that measurements decide, in the order {@link #withFitted} takes them. */
  double[] fitted() {
    return new double[] {
      secondsPerMillionParameters,
      secondsPerHundredTensors,
      secondsPerHundredTensorsAndPeer,
      smallHost,
      backbone,
      internet,
      matchmakingSharpness
    };
  }

  /** Returns these with the seven that measurements decide replaced, in the record's order. */
  public Coefficients withFitted(double... seven) {
    if (seven.length != FITTED.size()) {
      throw new IllegalArgumentException(seven.length + " coefficients");
    }
    for (int i = 0; i < seven.length; i++) {
      if (!(seven[i] > 0 && Double.isFinite(seven[i]))) {
        throw new BadInput(
            "The averaging coefficient %s is %s, which is not a positive number."
                .formatted(FITTED.get(i), seven[i]),
            "Maybe fit it again, or leave all of them out.");
      }
    }
    // The planner drops small hosts where a large one is no dearer.
    if (seven[3] < 1) {
      throw new BadInput(
          "The averaging coefficient smallHost is %s, as if small hosts were faster than large ones."
              .formatted(seven[3]),
          "Maybe write 1, which makes them alike.");
    }
    return new Coefficients(
        seven[0],
        seven[1],
        seven[2],
        seven[3],
        seven[4],
        seven[5],
        seven[6],
        crowding,
        transitCrowding,
        matchmakingSlackSeconds,
        accumulationBytes,
        trafficOverhead,
        internetStreams);
  }

  double host(HostClass host) {
    return host == HostClass.LARGE ? 1 : smallHost;
  }

  /** How much of a link's ideal time is felt. */
  double felt(LinkKind kind) {
    return kind == LinkKind.BACKBONE ? backbone : internet;
  }

  /** How many times as much several streams carry as one. */
  public double streams(LinkKind kind, int streams) {
    return kind == LinkKind.PUBLIC || kind == LinkKind.TRANSIT
        ? Math.pow(streams, internetStreams)
        : streams;
  }

  double crowding(LinkKind kind) {
    return kind == LinkKind.TRANSIT ? transitCrowding : crowding;
  }
}
