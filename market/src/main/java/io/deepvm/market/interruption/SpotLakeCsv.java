package io.deepvm.market.interruption;

import io.deepvm.base.TextSource;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;

/**
 * Reads a snapshot of SpotLake: CSV with InstanceType, Region, AZ and IF among its columns. IF is 3
 * for the calmest band of the Spot Advisor and 1 for the roughest, in steps of a half; -1 is
 * unknown.
 */
final class SpotLakeCsv {

  private SpotLakeCsv() {}

  static Interruptions read(TextSource source) {
    Interruptions read = new Interruptions(source.stem());
    try (CsvTable table = CsvTable.open(source)) {
      int type = table.requiredColumn("InstanceType");
      int region = table.requiredColumn("Region");
      int zone = table.requiredColumn("AZ");
      int score = table.requiredColumn("IF");
      for (CsvRow row = table.next(); row != null; row = table.next()) {
        boolean unknown = row.text(score).startsWith("-");
        Double value = unknown ? null : row.number(score);
        if (value != null) {
          double number = (3 - value) * 2;
          if (number != Math.rint(number) || number < 0 || number >= Band.count()) {
            throw row.failure(
                score,
                "An IF of %s is not one of 3, 2.5, 2, 1.5 and 1.".formatted(row.text(score)),
                "Maybe the column is another.");
          }
          Band band = Band.numbered((int) number);
          read.put(row.requiredText(type), row.requiredText(region), row.requiredText(zone), band);
        }
      }
    }
    return read;
  }
}
