package io.deepvm.market;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Place;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns the names that traces use into places and instance types. */
public final class Zones {

  private static final Pattern AWS = Pattern.compile("([a-z]{2}(?:-[a-z]+)+-[0-9])[a-z]");
  private static final Pattern GCP = Pattern.compile("([a-z]+-[a-z]+[0-9]+)-[a-z]");
  private static final Pattern PART = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,60}");
  private static final Pattern GCP_H100 = Pattern.compile("h100_([1248])");

  /** GPU and number, as file names write them, and the AWS machine that has just these. */
  private static final Map<String, String> AWS_DEVICES =
      Map.ofEntries(
          Map.entry("k80_1", "p2.xlarge"),
          Map.entry("k80_8", "p2.8xlarge"),
          Map.entry("k80_16", "p2.16xlarge"),
          Map.entry("v100_1", "p3.2xlarge"),
          Map.entry("v100_4", "p3.8xlarge"),
          Map.entry("v100_8", "p3.16xlarge"),
          Map.entry("t4_1", "g4dn.xlarge"),
          Map.entry("a10g_1", "g5.xlarge"),
          Map.entry("l4_1", "g6.xlarge"),
          Map.entry("a100_8", "p4d.24xlarge"),
          Map.entry("h100_8", "p5.48xlarge"));

  private Zones() {}

  /** Whether the text is a zone's name on AWS or GCP. */
  public static boolean isZone(String text) {
    return AWS.matcher(text).matches() || GCP.matcher(text).matches();
  }

  /** Returns the place of a zone by its name: us-east-1a is on AWS, us-east4-a on GCP. */
  public static Place ofZone(String zone) {
    Matcher aws = AWS.matcher(zone);
    if (aws.matches()) {
      return new Place("aws", aws.group(1), zone);
    }
    Matcher gcp = GCP.matcher(zone);
    if (gcp.matches()) {
      return new Place("gcp", gcp.group(1), zone);
    }
    throw new BadInput(
        "'%s' is no zone of AWS or GCP that we know.".formatted(zone),
        "Maybe write it like us-east-1a or us-east4-a.");
  }

  /** Reads a place written as cloud/region or cloud/region/zone. */
  public static Place parse(String text) {
    String[] parts = text.split("/", -1);
    boolean sound = parts.length == 2 || parts.length == 3;
    for (String part : parts) {
      sound &= PART.matcher(part).matches();
    }
    if (!sound) {
      throw new BadInput(
          "'%s' is not a place.".formatted(text),
          "Maybe write it like aws/us-east-1/us-east-1a, or aws/us-east-1.");
    }
    return new Place(parts[0], parts[1], parts.length == 3 ? parts[2] : null);
  }

  /** Returns the machine that file names call by GPU and number, or null when it is not known. */
  public static @Nullable String instanceType(String cloud, String device) {
    if (cloud.equals("aws")) {
      return AWS_DEVICES.get(device);
    }
    Matcher h100 = GCP_H100.matcher(device);
    return cloud.equals("gcp") && h100.matches() ? "a3-highgpu-" + h100.group(1) + "g" : null;
  }
}
