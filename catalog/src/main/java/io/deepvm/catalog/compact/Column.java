package io.deepvm.catalog.compact;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The columns of our own format, in the order they are written. */
enum Column {
  CLOUD,
  REGION,
  ZONE,
  INSTANCE_TYPE,
  FAMILY,
  VCPUS,
  MEMORY,
  GPU,
  GPU_COUNT,
  GPU_MEMORY,
  NETWORK,
  DEVICE_COPY,
  FLOPS,
  SCALING_A,
  SCALING_B,
  SCALING_C,
  SPOT,
  ON_DEMAND;

  /** The columns that a table cannot be without. */
  static final Set<Column> REQUIRED =
      Collections.unmodifiableSet(EnumSet.of(CLOUD, REGION, INSTANCE_TYPE, VCPUS));

  String header() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> headers() {
    return Arrays.stream(values()).map(Column::header).toList();
  }
}
