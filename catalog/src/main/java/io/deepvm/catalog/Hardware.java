package io.deepvm.catalog;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The project's own table of hardware facts, each with its source; what it lacks stays unknown. */
public final class Hardware {

  static final String GPUS = "hardware/gpus.csv";
  static final String MACHINES = "hardware/machines.csv";

  private static final double TERA = 1e12;
  private static final double GIGA = 1e9;

  private Hardware() {}

  /** Returns the GPU known by this name or alias in any catalog's spelling, or null. */
  public static @Nullable Gpu gpu(String name) {
    return GpuTable.BY_SPELLING.get(spelling(name));
  }

  /**
   * Returns the GPU that a cloud means by a name on this instance type, or null: one cloud's "H100"
   * is a PCIe card where another's is an SXM module.
   */
  public static @Nullable Gpu gpu(String cloud, String instanceType, String name) {
    Gpu ofType = gpu(key(cloud, instanceType));
    if (ofType != null) {
      return ofType;
    }
    Gpu ofCloud = gpu(key(cloud, name));
    return ofCloud != null ? ofCloud : gpu(name);
  }

  /** Returns the names of all GPUs of the table, in order. */
  public static List<String> gpuNames() {
    return GpuTable.BY_SPELLING.values().stream().map(Gpu::name).distinct().sorted().toList();
  }

  /** Returns the baseline network bandwidth of an instance type, or null. */
  public static @Nullable Bandwidth network(String cloud, String instanceType) {
    Double mbps = MachineTable.number(cloud, instanceType, 2);
    return mbps == null ? null : Bandwidth.ofMbps(mbps);
  }

  /** Returns the measured copy rate between one GPU and host memory, slower direction, or null. */
  public static @Nullable Bandwidth deviceCopy(String cloud, String instanceType) {
    Double gigabytes = MachineTable.number(cloud, instanceType, 3);
    return gigabytes == null ? null : Bandwidth.ofGbps(gigabytes * Byte.SIZE);
  }

  private static String key(String cloud, String name) {
    return String.join("/", cloud, name);
  }

  /** Returns the name without what catalogs disagree on: case, spaces, dashes, underscores. */
  static String spelling(String name) {
    StringBuilder kept = new StringBuilder(name.length());
    for (char c : name.toLowerCase(Locale.ROOT).toCharArray()) {
      if (c != ' ' && c != '-' && c != '_') {
        kept.append(c);
      }
    }
    return kept.toString();
  }

  /** The GPUs by spelling, read at the first question. */
  private static final class GpuTable {

    /** The column of the first precision; the others follow in their order. */
    private static final int FIRST_SPEED = 5;

    static final Map<String, Gpu> BY_SPELLING = read();

    private static Map<String, Gpu> read() {
      Map<String, Gpu> bySpelling = new HashMap<>();
      for (String[] row : Table.rows(GPUS)) {
        Double memory = Table.number(row, 3);
        Double bandwidth = Table.number(row, 4);
        Gpu gpu =
            new Gpu(
                row[0],
                Vendor.valueOf(row[2]),
                memory == null ? null : DataSize.ofGib(memory),
                bandwidth == null ? null : bandwidth * GIGA,
                peaks(row));
        bySpelling.put(spelling(gpu.name()), gpu);
        for (String alias : row[1].split(";", -1)) {
          bySpelling.put(spelling(alias), gpu);
        }
      }
      bySpelling.remove("");
      return bySpelling;
    }

    private static Map<Precision, Double> peaks(String[] row) {
      Map<Precision, Double> peaks = new EnumMap<>(Precision.class);
      int column = FIRST_SPEED;
      for (Precision precision : Precision.values()) {
        Double tera = Table.number(row, column++);
        if (tera != null) {
          peaks.put(precision, tera * TERA);
        }
      }
      return peaks;
    }
  }

  /** The machines by cloud and instance type, read at the first question. */
  private static final class MachineTable {

    /** Whole rows by their first two columns; a row is taken apart when it is asked for. */
    private static final Map<String, String> BY_NAME = read();

    /** A GPU offer on a bare host is named host+GPU; what is known is known of the host. */
    static @Nullable Double number(String cloud, String instanceType, int column) {
      int plus = instanceType.indexOf('+');
      String host = plus < 0 ? instanceType : instanceType.substring(0, plus);
      String row = BY_NAME.get(String.join(",", cloud, host));
      return row == null ? null : Table.number(Table.columns(row), column);
    }

    private static Map<String, String> read() {
      List<String> rows = Table.lines(MACHINES);
      Map<String, String> byName = new HashMap<>(2 * rows.size());
      for (String row : rows) {
        byName.put(row.substring(0, row.indexOf(',', row.indexOf(',') + 1)), row);
      }
      return byName;
    }
  }
}
