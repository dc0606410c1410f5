package io.deepvm.catalog;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says which family of a cloud's machines an instance type belongs to, as its quotas speak. */
public final class Families {

  /** The family of clouds that know none. */
  private static final String ALL = "all";

  private Families() {}

  /**
   * Returns "g" for AWS's g4dn.xlarge, "a2" for GCP's a2-highgpu-1g, "nc" for Azure's
   * Standard_NC4as_T4_v3; elsewhere the GPU's name, or "all" for machines without one.
   */
  public static String of(String cloud, String instanceType, @Nullable String gpu) {
    String type = instanceType.toLowerCase(Locale.ROOT);
    return switch (cloud) {
      case "aws" -> leadingLetters(type, 0);
      case "azure" -> leadingLetters(type, type.indexOf('_') + 1);
      case "gcp" -> type.indexOf('-') > 0 ? type.substring(0, type.indexOf('-')) : type;
      default -> gpu == null ? ALL : gpu.toLowerCase(Locale.ROOT).replace(' ', '-');
    };
  }

  private static String leadingLetters(String type, int from) {
    int end = from;
    while (end < type.length() && Character.isLetter(type.charAt(end))) {
      end++;
    }
    return end == from ? ALL : type.substring(from, end);
  }
}
