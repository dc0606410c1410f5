package io.deepvm.catalog.compact;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PriceDate;
import io.deepvm.catalog.PriceDates;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.QuotaEntry;
import io.deepvm.catalog.csv.CsvTable;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The "# key: value" lines above the table. */
record Heading(String name, String source, PriceDates dates, List<Quota> quotas) {

  private static final String AS_OF = "as-of";
  private static final String HISTORICAL = "historical";
  private static final List<String> KEYS = List.of("name", AS_OF, "prices", "source", "quota");

  static Heading of(Catalog catalog) {
    return new Heading(catalog.name(), catalog.source(), catalog.dates(), catalog.quotas());
  }

  Heading withName(String other) {
    return new Heading(other, source, dates, quotas);
  }

  static Heading read(TextSource from, List<CsvTable.Comment> comments) {
    if (!("#" + comments.get(0).text()).strip().equals(CompactFormat.FIRST_LINE)) {
      throw new BadInput(
          "%s, line 1: '#%s' is a version we do not know."
              .formatted(from.label(), comments.get(0).text()),
          "Maybe update deepvm; this one reads '%s'.".formatted(CompactFormat.FIRST_LINE));
    }
    String name = from.stem();
    LocalDate asOf = null;
    Map<String, PriceDate> ofClouds = new TreeMap<>();
    PriceDates.Use use = PriceDates.Use.RENTING;
    String source = "";
    List<Quota> quotas = new ArrayList<>();
    for (CsvTable.Comment comment : comments.subList(1, comments.size())) {
      String where = "%s, line %d".formatted(from.label(), comment.line());
      int colon = comment.text().indexOf(':');
      String key = colon < 0 ? comment.text().strip() : comment.text().substring(0, colon).strip();
      String value = colon < 0 ? "" : comment.text().substring(colon + 1).strip();
      if (key.startsWith(AS_OF + " ")) {
        ofClouds.put(key.substring(AS_OF.length()).strip(), date(value, where));
        continue;
      }
      switch (key) {
        case "name" -> name = value;
        case "as-of" -> asOf = day(value, where);
        case "prices" -> use = use(value, where);
        case "source" -> source = value;
        case "quota" -> quotas.add(quota(value, where));
        default ->
            throw new BadInput(
                "%s: '%s' is not known above the table.".formatted(where, key),
                Suggestion.maybe(
                    key, KEYS, "Maybe use one of %s.".formatted(String.join(", ", KEYS))));
      }
    }
    return new Heading(name, source, new PriceDates(asOf, ofClouds, use), quotas);
  }

  private static LocalDate day(String text, String where) {
    LocalDate day = date(text, where).day();
    if (day == null) {
      throw new BadInput(
          "%s: '%s' is not a day.".formatted(where, text), "Maybe write it like 2026-08-22.");
    }
    return day;
  }

  private static PriceDate date(String text, String where) {
    try {
      return PriceDate.parse(text);
    } catch (BadInput e) {
      throw new BadInput("%s: %s".formatted(where, e.getMessage()), e.wayOut());
    }
  }

  private static PriceDates.Use use(String text, String where) {
    if (!text.equals(HISTORICAL)) {
      throw new BadInput(
          "%s: prices can only be '%s', not '%s'.".formatted(where, HISTORICAL, text),
          "Maybe leave the line out.");
    }
    return PriceDates.Use.HISTORY;
  }

  private static Quota quota(String text, String where) {
    Map<String, List<String>> entry = new LinkedHashMap<>();
    for (String part : text.split("\\s+", -1)) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw new BadInput(
            "%s: '%s' in the quota is not key=value.".formatted(where, part),
            "Maybe write it like place=aws/us-east-1 families=g,vt market=spot vcpus=128.");
      }
      if (entry.put(part.substring(0, equals), List.of(part.substring(equals + 1).split(",", -1)))
          != null) {
        throw new BadInput(
            "%s: '%s' is in the quota twice.".formatted(where, part.substring(0, equals)),
            "Maybe remove one of them.");
      }
    }
    return QuotaEntry.of(entry, where);
  }

  /** Returns the lines above the table, ending in a new line. */
  String write() {
    StringBuilder lines = new StringBuilder(CompactFormat.FIRST_LINE).append('\n');
    if (!name.isEmpty()) {
      lines.append("# name: ").append(oneLine(name)).append('\n');
    }
    if (dates.usual() != null) {
      lines.append("# as-of: ").append(dates.usual()).append('\n');
    }
    dates.own().forEach((cloud, date) -> lines.append("# as-of %s: %s\n".formatted(cloud, date)));
    if (dates.use() == PriceDates.Use.HISTORY) {
      lines.append("# prices: ").append(HISTORICAL).append('\n');
    }
    lines.append("# source: ").append(oneLine(source)).append('\n');
    for (Quota quota : quotas) {
      lines.append("# quota: place=").append(word(quota.place().pattern()));
      if (!quota.families().isEmpty()) {
        List<String> families = quota.families().stream().map(Heading::word).sorted().toList();
        lines.append(" families=").append(String.join(",", families));
      }
      Market market = quota.market();
      lines.append(" market=").append(market);
      lines.append(' ').append(QuotaEntry.key(quota.unit())).append('=').append(quota.limit());
      lines.append('\n');
    }
    return lines.toString();
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  private static String word(String text) {
    if (text.isEmpty() || text.chars().anyMatch(c -> Character.isWhitespace(c) || c == ',')) {
      throw new BadInput(
          "The quota for '%s' cannot be written to a catalog file.".formatted(text),
          "Maybe write places and families without spaces and commas.");
    }
    return text;
  }
}
