package io.deepvm.market;

import java.util.List;

/**
 * How often spot nodes were lost in the built-in records. The figures are in a small table, so that
 * no trace has to be read for them.
 *
 * @param record the name of the record
 * @param recordedType the instance type that was recorded
 * @param hoursPerLoss node-hours for every node lost
 * @param source how near the record is to the pool asked for
 */
public record SpotLosses(String record, String recordedType, double hoursPerLoss, Source source) {

  /** How near a record is to a pool. */
  public enum Source {
    /** The same type in the same place. */
    POOL,
    /** The same type, all recorded places together. */
    TYPE,
    /** Another type: all places of the record that stands in. */
    BORROWED
  }

  static final String TABLE = "losses.csv";

  private static final String ALL_PLACES = "*";

  /** Returns what is known of a pool, or of the record that stands in for it. */
  public static SpotLosses of(Pool pool) {
    List<Row> rows = rows();
    for (Row row : rows) {
      if (row.type.equals(pool.instanceType()) && row.place.equals(pool.place().toString())) {
        return row.losses(Source.POOL);
      }
    }
    for (Row row : rows) {
      if (row.type.equals(pool.instanceType())
          && row.place.equals(ALL_PLACES)
          && row.cloud().equals(pool.place().cloud())) {
        return row.losses(Source.TYPE);
      }
    }
    String standIn = Markets.standIn(pool.place().cloud());
    return rows.stream()
        .filter(row -> row.record.equals(standIn) && row.place.equals(ALL_PLACES))
        .findFirst()
        .orElseThrow()
        .losses(Source.BORROWED);
  }

  private record Row(String record, String place, String type, double hoursPerLoss) {

    /** A record's name begins with its cloud. */
    String cloud() {
      return record.substring(0, record.indexOf('-'));
    }

    SpotLosses losses(Source source) {
      return new SpotLosses(record, type, hoursPerLoss, source);
    }
  }

  private static List<Row> rows() {
    return ResourceTable.rows(TABLE).stream()
        .map(c -> new Row(c[0], c[1], c[2], Double.parseDouble(c[3])))
        .toList();
  }
}
