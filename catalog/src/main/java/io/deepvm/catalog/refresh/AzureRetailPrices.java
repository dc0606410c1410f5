package io.deepvm.catalog.refresh;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Azure's public retail prices. They state no sizes of machines, so only types that are known
 * already get a price.
 */
public final class AzureRetailPrices {

  /** The cloud's name. */
  public static final String CLOUD = "azure";

  private static final String CURRENCY = "USD";
  private static final int TYPES_A_QUESTION = 10;
  private static final int MOST_PAGES = 200;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final WebPages pages;
  private final Map<String, Machine> machines;
  private final Instant now;
  private final List<RefusedPrice> refused = new ArrayList<>();
  private final Map<Sold, Meter> meters = new TreeMap<>();

  private AzureRetailPrices(WebPages pages, Map<String, Machine> machines, Instant now) {
    this.pages = pages;
    this.machines = machines;
    this.now = now;
  }

  /** What has one price. */
  private record Sold(String type, String region, Market market) implements Comparable<Sold> {
    @Override
    public int compareTo(Sold other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return "%s in %s, %s".formatted(type, region, market);
    }
  }

  /** A price, and what decides between several for one machine. */
  private record Meter(Money price, boolean primary, Instant since) {
    boolean isBefore(@Nullable Meter other) {
      return other == null
          || (primary && !other.primary)
          || (primary == other.primary && since.isAfter(other.since));
    }
  }

  /** Reads the prices of machines that are known already, in all regions. */
  public static FreshPrices read(WebPages pages, URI address, List<Listing> known, Instant now)
      throws IOException {
    Map<String, Machine> machines = new TreeMap<>();
    known.forEach(listing -> machines.put(listing.machine().name(), listing.machine()));
    AzureRetailPrices prices = new AzureRetailPrices(pages, machines, now);
    List<String> types = List.copyOf(machines.keySet());
    for (int i = 0; i < types.size(); i += TYPES_A_QUESTION) {
      prices.ask(address, types.subList(i, Math.min(types.size(), i + TYPES_A_QUESTION)));
    }
    return new FreshPrices(prices.listings(), prices.refused);
  }

  private void ask(URI address, List<String> types) throws IOException {
    String filter =
        "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and (%s)"
            .formatted(
                types.stream()
                    .map("armSkuName eq '%s'"::formatted)
                    .collect(Collectors.joining(" or ")));
    String encoded = URLEncoder.encode(filter, StandardCharsets.UTF_8).replace("+", "%20");
    URI next = URI.create("%s?$filter=%s".formatted(address, encoded));
    Set<URI> seen = new HashSet<>();
    while (next != null) {
      if (!seen.add(next) || seen.size() > MOST_PAGES) {
        throw new IOException("%s has pages without end".formatted(address));
      }
      JsonNode page = page(next);
      JsonNode items = page.path("Items");
      if (!items.isArray()) {
        throw new IOException("%s has no 'Items'".formatted(next));
      }
      items.forEach(this::take);
      String link = page.path("NextPageLink").asText("");
      next = link.isEmpty() || link.equals("null") ? null : WebPages.redirected(next, link);
    }
  }

  private JsonNode page(URI address) throws IOException {
    try {
      return JSON.readTree(pages.read(address));
    } catch (JsonProcessingException e) {
      throw new IOException("%s is no JSON: %s".formatted(address, e.getOriginalMessage()), e);
    }
  }

  private void take(JsonNode item) {
    String type = item.path("armSkuName").asText("");
    String kind = item.path("skuName").asText("");
    boolean hourly =
        item.path("unitOfMeasure").asText("").equals("1 Hour")
            && item.path("type").asText("").equals("Consumption");
    boolean linux = !item.path("productName").asText("").contains("Windows");
    if (!machines.containsKey(type) || !hourly || !linux || kind.contains("Low Priority")) {
      return;
    }
    Market market = kind.contains("Spot") ? Market.SPOT : Market.ON_DEMAND;
    Sold sold = new Sold(type, item.path("armRegionName").asText(""), market);
    Instant since = since(item.path("effectiveStartDate").asText(""));
    if (sold.region().isEmpty() || since.isAfter(now)) {
      return;
    }
    String currency = item.path("currencyCode").asText("");
    Money price = price(item.path("retailPrice"));
    if (!currency.equals(CURRENCY)) {
      refused.add(new RefusedPrice(sold.toString(), "it is in '%s'".formatted(currency)));
    } else if (price == null) {
      refused.add(
          new RefusedPrice(
              sold.toString(), "'%s' is no price".formatted(item.path("retailPrice").asText())));
    } else {
      boolean primary = item.path("isPrimaryMeterRegion").asBoolean(true);
      Meter meter = new Meter(price, primary, since);
      if (meter.isBefore(meters.get(sold))) {
        meters.put(sold, meter);
      }
    }
  }

  private static @Nullable Money price(JsonNode value) {
    try {
      Money price = value.isNumber() ? Money.of(value.decimalValue()) : Money.ZERO;
      return price.isPositive() ? price : null;
    } catch (ArithmeticException | NumberFormatException e) {
      return null;
    }
  }

  /** A price without a date has always been so. */
  private static Instant since(String text) {
    try {
      return text.isEmpty() ? Instant.EPOCH : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new BadInput(
          "Azure states the date '%s'.".formatted(text), "Maybe its format has changed.");
    }
  }

  private List<Listing> listings() {
    List<Listing> listings = new ArrayList<>();
    Set<Place> places = new HashSet<>();
    for (Map.Entry<String, Machine> machine : machines.entrySet()) {
      places.clear();
      for (Sold sold : meters.keySet()) {
        Place place = new Place(CLOUD, sold.region(), null);
        if (sold.type().equals(machine.getKey()) && places.add(place)) {
          listings.add(
              new Listing(
                  machine.getValue(),
                  place,
                  price(sold, Market.SPOT),
                  price(sold, Market.ON_DEMAND)));
        }
      }
    }
    return listings;
  }

  private @Nullable Money price(Sold sold, Market market) {
    Meter meter = meters.get(new Sold(sold.type(), sold.region(), market));
    return meter == null ? null : Objects.requireNonNull(meter).price();
  }
}
