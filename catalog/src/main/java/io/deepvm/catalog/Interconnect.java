package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the GPUs of one machine reach each other.
 *
 * @param bytesPerSecond of one GPU in one direction over NVLink, of the whole host's bus over PCIe
 */
public record Interconnect(Kind kind, double bytesPerSecond) {

  static final String TABLE = "hardware/interconnects.csv";

  private static final double GIGA = 1e9;

  /** The host's bus of PCIe 3.0, which stands for every GPU that the table does not know. */
  public static final Interconnect PCIE_3 = new Interconnect(Kind.PCIE, 10 * GIGA);

  /** What lies between two GPUs of one machine. */
  public enum Kind {
    /** Links between the GPUs: each has its own bandwidth, whatever the others do. */
    NVLINK,
    /** The host's bus: all GPUs share it. */
    PCIE
  }

  public Interconnect {
    if (!(bytesPerSecond > 0 && Double.isFinite(bytesPerSecond))) {
      throw new BadInput(
          "An interconnect of %s bytes/s is not usable.".formatted(bytesPerSecond),
          "Maybe write it like 10GB/s.");
    }
  }

  /** Returns the interconnect of the GPUs of this machine. */
  public static Interconnect of(Machine machine) {
    Interconnect own = Rows.BY_SPELLING.get(spelling(machine.cloud() + "/" + machine.name()));
    if (own != null) {
      return own;
    }
    return machine.gpus() == null ? PCIE_3 : of(machine.gpus().model());
  }

  /** Returns the interconnect that machines with this GPU usually have. */
  public static Interconnect of(Gpu gpu) {
    @Nullable Interconnect known = Rows.BY_SPELLING.get(spelling(gpu.name()));
    return known == null ? PCIE_3 : known;
  }

  private static String spelling(String name) {
    return Hardware.spelling(name);
  }

  /** The table, read at the first question. */
  private static final class Rows {

    static final Map<String, Interconnect> BY_SPELLING = read();

    private static Map<String, Interconnect> read() {
      Map<String, Interconnect> byName = new HashMap<>();
      for (String[] row : Table.rows(TABLE)) {
        Kind kind = row[1].equals("nvlink") ? Kind.NVLINK : Kind.PCIE;
        byName.put(spelling(row[0]), new Interconnect(kind, Double.parseDouble(row[2]) * GIGA));
      }
      return byName;
    }
  }
}
