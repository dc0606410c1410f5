package io.deepvm.bench.speed;

import io.deepvm.catalog.speed.MeasuredSpeed;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The rows around a batch, of the same model, GPU and sample size. */
final class BatchNeighbours {

  private BatchNeighbours() {}

  /** Returns the next smaller and larger batch, the nearer first; none where one is missing. */
  static List<MeasuredSpeed> of(MeasuredSpeed asked, List<MeasuredSpeed> rows) {
    Integer batch = asked.batch();
    if (batch == null) {
      return List.of();
    }
    Comparator<MeasuredSpeed> byDistance = Comparator.comparingDouble(row -> distance(row, batch));
    List<MeasuredSpeed> others =
        rows.stream()
            .filter(row -> row.batch() != null && distance(row, batch) > 0)
            .filter(row -> Objects.equals(row.sampleSize(), asked.sampleSize()))
            .toList();
    Optional<MeasuredSpeed> smaller =
        others.stream().filter(row -> batch(row) < batch).min(byDistance);
    Optional<MeasuredSpeed> larger =
        others.stream().filter(row -> batch(row) > batch).min(byDistance);
    return smaller.isEmpty() || larger.isEmpty()
        ? List.of()
        : List.of(smaller.get(), larger.get()).stream().sorted(byDistance).toList();
  }

  private static double distance(MeasuredSpeed row, int batch) {
    return Math.abs(Math.log(batch(row) / (double) batch));
  }

  private static int batch(MeasuredSpeed row) {
    return Objects.requireNonNull(row.batch());
  }
}
