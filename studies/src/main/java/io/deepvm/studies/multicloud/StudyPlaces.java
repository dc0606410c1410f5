package io.deepvm.studies.multicloud;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Geography;
import io.deepvm.workload.averaging.Link;
import io.deepvm.workload.averaging.MeasuredNetwork;
import io.deepvm.workload.averaging.Network;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The study's places, its measured links and the prices of its Table 1. */
final class StudyPlaces {

  private static final Map<String, Place> KNOWN =
      Map.of(
          "GC-US", new Place("gcp", "us-central1", null),
          "GC-EU", new Place("gcp", "europe-west1", null),
          "GC-ASIA", new Place("gcp", "asia-east1", null),
          "GC-AUS", new Place("gcp", "australia-southeast1", null),
          "GC-USW", new Place("gcp", "us-west1", null),
          "AWS-USW", new Place("aws", "us-west-2", null),
          "AZURE-USS", new Place("azure", "southcentralus", null),
          "LAMBDA-US", new Place("lambda", "us-west-1", null));

  private static final String OCEANIA = "GC-AUS";

  private StudyPlaces() {}

  /** Returns the place behind a code of the tables; own machines are a place each. */
  static Place place(String code) {
    Place known = KNOWN.get(code);
    if (known != null) {
      return known;
    }
    return code.startsWith("ONPREM")
        ? new Place(Geography.ON_PREMISE, code.substring(code.indexOf('-') + 1), null)
        : new Place("other", code.toLowerCase(Locale.ROOT), null);
  }

  /** Returns the measured links at the low end of what was measured. */
  static Network network(List<NamedCsvRecord> rows) {
    Map<Place, Map<Place, Link>> links = new LinkedHashMap<>();
    for (NamedCsvRecord row : rows) {
      String from = Tables.text(row, "from");
      String to = Tables.text(row, "to");
      Place sender = place(from);
      Place receiver = place(to);
      links
          .computeIfAbsent(sender, key -> new LinkedHashMap<>())
          .put(
              receiver,
              new Link(
                  CatalogNetwork.kind(sender, receiver),
                  Bandwidth.ofMbps(Tables.number(row, "mbps_min")),
                  Money.parse(egress(from, to)),
                  ""));
    }
    return MeasuredNetwork.of(links);
  }

  /** Dollars per GB of Table 1, April 2023, which prices cross-cloud traffic as inter-region. */
  private static String egress(String from, String to) {
    if (from.equals(to)) {
      return from.startsWith("GC") || from.startsWith("AWS") ? "0.01" : "0";
    }
    if (from.startsWith("AZURE")) {
      return "0.02";
    }
    if (from.startsWith("AWS")) {
      return "0.01";
    }
    if (!from.startsWith("GC")) {
      return "0";
    }
    if (from.equals(OCEANIA) || to.equals(OCEANIA)) {
      return "0.15";
    }
    return from.endsWith("USW") ? "0.01" : "0.08";
  }

  /** Dollars per hour of Table 1, spot; Lambda rents on demand only, own machines cost nothing. */
  static Money price(String place) {
    if (place.startsWith("GC")) {
      return Money.parse("0.18");
    }
    if (place.startsWith("AWS")) {
      return Money.parse("0.395");
    }
    if (place.startsWith("AZURE")) {
      return Money.parse("0.134");
    }
    return place.startsWith("LAMBDA") ? Money.parse("0.60") : Money.ZERO;
  }
}
