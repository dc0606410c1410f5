package io.deepvm.catalog.deepvm;

import com.fasterxml.jackson.core.JsonToken;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.CatalogFormat;
import io.deepvm.catalog.ImportReport;
import io.deepvm.catalog.ImportedCatalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.json.Tokens;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * DeepVM's JSON: an object with "instances" and, mostly, "available_vcpus" by family letter and
 * market, or the list of instances alone. All prices are of one region.
 */
public final class DeepVmFormat implements CatalogFormat {

  /** The region whose list prices the original's data are. */
  private static final Place PLACE = new Place("aws", "us-east-1", null);

  @Override
  public String name() {
    return "DeepVM's JSON";
  }

  @Override
  public boolean recognises(String opening) {
    String text = opening.stripLeading();
    return text.startsWith("{") || text.startsWith("[");
  }

  @Override
  public ImportedCatalog read(TextSource source) {
    List<Listing> listings = new ArrayList<>();
    List<Quota> quotas = new ArrayList<>();
    try (Tokens tokens = Tokens.json(source)) {
      if (tokens.current() == JsonToken.START_ARRAY) {
        readInstances(tokens, listings);
      } else {
        tokens.require(JsonToken.START_OBJECT, "an object with the key 'instances'");
        readObject(tokens, listings, quotas);
      }
      if (tokens.next() != null) {
        throw tokens.failure("the file goes on after its end.", "Maybe it is two files in one.");
      }
    }
    int rows = listings.size();
    Catalog catalog =
        new Catalog(source.stem(), null, "DeepVM's JSON, " + source.stem(), listings, quotas);
    return new ImportedCatalog(
        catalog,
        List.of(
            new ImportReport(source.label(), PLACE.cloud(), rows, rows, rows, Map.of(), Map.of())));
  }

  private static void readObject(Tokens tokens, List<Listing> listings, List<Quota> quotas) {
    List<String> keys = List.of("instances", "available_vcpus");
    for (String key = tokens.nextKey(keys); key != null; key = tokens.nextKey(keys)) {
      tokens.next();
      if (key.equals("instances")) {
        tokens.require(JsonToken.START_ARRAY, "a list of instances");
        readInstances(tokens, listings);
      } else {
        tokens.require(JsonToken.START_OBJECT, "vCPUs by family");
        readQuotas(tokens, quotas);
      }
    }
  }

  private static void readInstances(Tokens tokens, List<Listing> listings) {
    Set<String> names = new HashSet<>();
    while (tokens.next() != JsonToken.END_ARRAY) {
      tokens.require(JsonToken.START_OBJECT, "an instance");
      Listing listing = PaperInstance.read(tokens, PLACE);
      if (!names.add(listing.machine().name())) {
        throw tokens.failure(
            "the instance '%s' is there twice.".formatted(listing.machine().name()),
            "Maybe remove one of them.");
      }
      listings.add(listing);
    }
  }

  private static void readQuotas(Tokens tokens, List<Quota> quotas) {
    for (String family = tokens.nextKey(List.of());
        family != null;
        family = tokens.nextKey(List.of())) {
      tokens.next();
      tokens.require(JsonToken.START_OBJECT, "vCPUs by market");
      List<String> markets = List.of("ondemand", "spot");
      for (String key = tokens.nextKey(markets); key != null; key = tokens.nextKey(markets)) {
        double limit = tokens.nextNumber("the number of vCPUs");
        if (limit != Math.rint(limit)) {
          throw tokens.failure("a number of vCPUs is whole.", "Maybe round it down.");
        }
        quotas.add(
            new Quota(
                PlaceFilter.ANYWHERE,
                Set.of(family.toLowerCase(Locale.ROOT)),
                key.equals("spot") ? Market.SPOT : Market.ON_DEMAND,
                Quota.Unit.VCPUS,
                (long) limit));
      }
    }
  }
}
