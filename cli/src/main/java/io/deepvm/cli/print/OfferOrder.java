package io.deepvm.cli.print;

import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Offer;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** By what offers are sorted, cheapest first among equals. */
public enum OfferOrder {
  PRICE("price", "PRICE/H"),
  PRICE_PER_GPU("price-per-gpu", "PRICE/GPU"),
  NAME("name", "TYPE"),
  PLACE("place", "PLACE"),
  GPU_MEMORY("gpu-memory", "GPU MEMORY");

  private static final Comparator<Offer> CHEAPEST =
      Comparator.comparing(Offer::pricePerHour)
          .thenComparing(o -> o.machine().name())
          .thenComparing(o -> o.place().toString())
          .thenComparing(Offer::market);

  private final String label;
  private final String column;

  OfferOrder(String label, String column) {
    this.label = label;
    this.column = column;
  }

  /** Returns the heading of a table's column, with an arrow if the table is sorted by it. */
  String heading(String title) {
    String arrow = this == GPU_MEMORY ? " ↓" : " ↑";
    return title.equals(column) || title.equals(column + Table.RIGHT)
        ? title.replace(column, column + arrow)
        : title;
  }

  /** Returns how two offers compare. */
  public Comparator<Offer> comparator() {
    Comparator<Offer> first =
        switch (this) {
          case PRICE -> CHEAPEST;
          case PRICE_PER_GPU ->
              Comparator.comparing(
                  OfferOrder::pricePerGpu, Comparator.nullsLast(Comparator.naturalOrder()));
          case NAME -> Comparator.comparing(o -> o.machine().name());
          case PLACE -> Comparator.comparing(o -> o.place().toString());
          case GPU_MEMORY -> Comparator.comparingLong(OfferOrder::gpuMemory).reversed();
        };
    return first.thenComparing(CHEAPEST);
  }

  /** Returns dollars per hour and GPU; null without a GPU. */
  static @Nullable Double pricePerGpu(Offer offer) {
    Gpus gpus = offer.machine().gpus();
    return gpus == null ? null : offer.pricePerHour().dollars() / gpus.count();
  }

  private static long gpuMemory(Offer offer) {
    Gpus gpus = offer.machine().gpus();
    return gpus == null || gpus.model().memory() == null ? -1 : gpus.model().memory().bytes();
  }

  @Override
  public String toString() {
    return label;
  }
}
