package io.deepvm.catalog;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What became of the rows of one file: every row read is either used or skipped for one reason.
 *
 * @param file the file, or the built-in catalog, as the user knows it
 * @param cloud the cloud the file speaks of; "several" when it mixes them
 * @param listings how many listings the used rows made
 * @param skipped rows left out, by reason
 * @param notes values put right in rows that are used, by kind
 */
public record ImportReport(
    String file,
    String cloud,
    int read,
    int used,
    int listings,
    Map<Skip, Integer> skipped,
    Map<Note, Integer> notes) {

  public ImportReport {
    skipped = Collections.unmodifiableMap(sorted(skipped, Skip.class));
    notes = Collections.unmodifiableMap(sorted(notes, Note.class));
    int left = skipped.values().stream().mapToInt(Integer::intValue).sum();
    if (read != used + left) {
      throw new IllegalArgumentException(
          "%s: %d rows read are not %d used and %d skipped".formatted(file, read, used, left));
    }
  }

  private static <K extends Enum<K>> Map<K, Integer> sorted(Map<K, Integer> counts, Class<K> keys) {
    Map<K, Integer> sorted = new EnumMap<>(keys);
    sorted.putAll(counts);
    return sorted;
  }

  /** Why a row is not used. */
  public enum Skip {
    NO_PRICE("no price at all"),
    ZERO_PRICE("only prices of zero"),
    NOT_A_GPU("accelerator that is not a GPU (TPU, Inferentia, Trainium, FPGA)"),
    GPU_WITHOUT_HOST("GPU priced apart, and no host for it in the zone"),
    HOST_WITHOUT_GPU("host of a GPU family, and no price or name for its GPU"),
    UNCLEAR_GPU("accelerator named without a count, or counted without a name"),
    NO_SIZE("no vCPUs or no memory stated"),
    NO_PLACE("no region stated"),
    DUPLICATE("same instance type and place as a row before");

    private final String label;

    Skip(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /** What was put right in a row that is used. */
  public enum Note {
    SPOT_LOWERED("spot price above on-demand, lowered to it"),
    ZERO_IS_NO_OFFER("price of zero taken as not offered on that market"),
    GPU_COUNT_CORRECTED("GPU count put right from the vendor's documentation");

    private final String label;

    Note(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }
}
