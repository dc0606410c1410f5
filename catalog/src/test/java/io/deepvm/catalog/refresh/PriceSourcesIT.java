package io.deepvm.catalog.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Place;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prices are read from each kind of source, and lies are refused by row. */
class PriceSourcesIT {

  private static final String HEADER =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,"
          + "Region,AvailabilityZone\n";
  private static final Instant NOW = Instant.parse("2026-11-19T00:00:00Z");
  private static final String TYPE = "Standard_NC24ads_A100_v4";

  @TempDir private Path folder;
  private PriceServer server;
  private final WebPages pages = WebPages.within(Duration.ofSeconds(60));

  @BeforeEach
  void start() throws IOException {
    server = new PriceServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String aws(String type, String spot, String onDemand, String zone) {
    return "%s,T4,1,4,16,,%s,%s,us-east-1,%s%n".formatted(type, onDemand, spot, zone);
  }

  private FreshPrices hosted(String rows) throws IOException {
    server.text("/v7/aws/vms.csv", HEADER + rows);
    return HostedCatalog.read(pages, server.at("/v7"), "aws");
  }

  @Test
  void aHostedCatalogGivesWhatPeopleRentToTrain() throws IOException {
    FreshPrices prices =
        hosted(
            aws("g4dn.xlarge", "0.2", "0.526", "use1-az1")
                + "t2.nano,,,1,0.5,,0.0058,0.002,us-east-1,use1-az1\n");
    assertThat(prices.refused()).isEmpty();
    assertThat(prices.listings()).hasSize(1);
    Listing only = prices.listings().get(0);
    assertThat(only.place()).isEqualTo(new Place("aws", "us-east-1", "use1-az1"));
    assertThat(only.spot()).isEqualTo(Money.parse("0.2"));
  }

  @Test
  void aPriceOfZeroIsNamedByLineAndIsNoOffer() throws IOException {
    FreshPrices prices =
        hosted(
            aws("g4dn.xlarge", "0", "0.526", "use1-az1")
                + aws("g4dn.2xlarge", "0.3", "0.752", "use1-az1"));
    assertThat(prices.refused())
        .containsExactly(
            new RefusedPrice("line 2, g4dn.xlarge in us-east-1", "the spot price is 0"));
    assertThat(prices.listings()).extracting(Listing::spot).containsExactly(null, usd("0.3"));
  }

  @Test
  void aNegativePriceOrACutRowRefusesTheWholeFileByLine() {
    assertThatThrownBy(() -> hosted(aws("g4dn.xlarge", "-1", "0.526", "use1-az1")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("line 2")
        .hasMessageContaining("negative");
    assertThatThrownBy(
            () -> hosted(aws("g4dn.xlarge", "1", "0.526", "use1-az1") + "g4dn.2xlarge,T4,1,8"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("line 3");
    assertThatThrownBy(() -> HostedCatalog.read(pages, server.at("/"), "../aws"))
        .isInstanceOf(BadInput.class);
  }

  // --- Azure ---

  private static String item(String region, String sku, String price, String more) {
    return """
        {"currencyCode":"USD","retailPrice":%s,"armRegionName":"%s","armSkuName":"%s",
         "skuName":"%s","productName":"Virtual Machines NCads A100 v4 Series",
         "unitOfMeasure":"1 Hour","type":"Consumption","isPrimaryMeterRegion":true%s}"""
        .formatted(price, region, TYPE, sku, more);
  }

  private static String page(String next, String... items) {
    return "{\"Items\":[%s],\"NextPageLink\":%s}".formatted(String.join(",", items), next);
  }

  private static List<Listing> knownOfAzure() {
    return Catalogs.load("snapshot").listings().stream()
        .filter(each -> each.machine().name().equals(TYPE))
        .toList();
  }

  private FreshPrices azure(String firstPage) throws IOException {
    server.text("/retail", firstPage);
    return AzureRetailPrices.read(pages, server.at("/retail"), knownOfAzure(), NOW);
  }

  @Test
  void azuresPagesAreReadToTheLast() throws IOException {
    server.text("/second", page("null", item("westeurope", "NC24ads A100 v4 Spot", "0.9", "")));
    FreshPrices prices =
        azure(
            page(
                "\"%s\"".formatted(server.at("/second")),
                item("eastus", "NC24ads A100 v4", "3.673", ""),
                item("eastus", "NC24ads A100 v4 Spot", "0.7", ""),
                item("eastus", "NC24ads A100 v4 Low Priority", "0.5", ""),
                item("eastus", "NC24ads A100 v4", "5", "")
                    .replace("A100 v4 Series", "A100 v4 Series Windows")));
    assertThat(prices.refused()).isEmpty();
    assertThat(prices.listings())
        .extracting(Listing::place, Listing::spot, Listing::onDemand)
        .containsExactlyInAnyOrder(
            tuple(new Place("azure", "eastus", null), usd("0.7"), usd("3.673")),
            tuple(new Place("azure", "westeurope", null), usd("0.9"), null));
    String asked = URLDecoder.decode(server.asked().get(0), StandardCharsets.UTF_8);
    assertThat(asked).contains("$filter=serviceName eq 'Virtual Machines'", TYPE);
  }

  @Test
  void anotherCurrencyAZeroANegativeAndAWordAreRefusedByName() throws IOException {
    FreshPrices prices =
        azure(
            page(
                "null",
                item("eastus", "NC24ads A100 v4", "3.673", ""),
                item("westus", "NC24ads A100 v4", "3.2", "").replace("USD", "EUR"),
                item("westus2", "NC24ads A100 v4", "0", ""),
                item("westus3", "NC24ads A100 v4 Spot", "-1", ""),
                item("uksouth", "NC24ads A100 v4", "\"cheap\"", "")));
    assertThat(prices.listings()).hasSize(1);
    assertThat(prices.refused())
        .extracting(RefusedPrice::toString)
        .satisfiesExactly(
            one -> assertThat(one).contains("westus, on-demand", "'EUR'"),
            one -> assertThat(one).contains("westus2, on-demand", "'0' is no price"),
            one -> assertThat(one).contains("westus3, spot", "'-1' is no price"),
            one -> assertThat(one).contains("uksouth, on-demand", "'cheap' is no price"));
  }

  @Test
  void ofSeveralPricesForOneThingTheNewestThatHoldsIsTaken() throws IOException {
    String sku = "NC24ads A100 v4";
    FreshPrices prices =
        azure(
            page(
                "null",
                item("eastus", sku, "2", ",\"effectiveStartDate\":\"2026-06-01T00:00:00Z\""),
                item("eastus", sku, "1", ",\"effectiveStartDate\":\"2025-06-01T00:00:00Z\""),
                item("eastus", sku, "9", ",\"effectiveStartDate\":\"2027-06-01T00:00:00Z\""),
                item("eastus", sku, "7", "").replace("Region\":true", "Region\":false")));
    assertThat(prices.listings()).extracting(Listing::onDemand).containsExactly(usd("2"));
  }

  @Test
  void aNextPageOnAnotherHostOrWithoutEndIsRefused() {
    assertThatThrownBy(() -> azure(page("\"https://prices.example.org/next\"")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another host");
    assertThatThrownBy(() -> azure(page("\"%s\"".formatted(server.at("/retail?$skip=1")))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("pages without end");
    assertThatThrownBy(() -> azure("{\"Items\":[")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> azure("<html>")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> azure("{}")).isInstanceOf(IOException.class);
  }

  // --- What is believed ---

  private static Money usd(String text) {
    return Money.parse(text);
  }

  private static List<Listing> times(double factor, List<Listing> listings) {
    List<Listing> all = new ArrayList<>();
    for (Listing each : listings) {
      Money spot = each.spot();
      Money onDemand = each.onDemand();
      all.add(
          new Listing(
              each.machine(),
              each.place(),
              spot == null ? null : spot.times(factor),
              onDemand == null ? null : onDemand.times(factor)));
    }
    return all;
  }

  @Test
  void onePriceThatJumpsIsRefusedAndTheOthersStay() throws IOException {
    String others =
        aws("g4dn.2xlarge", "0.3", "0.752", "use1-az1")
            + aws("g4dn.4xlarge", "0.5", "1.204", "use1-az1")
            + aws("g4dn.8xlarge", "0.9", "2.176", "use1-az1")
            + aws("g4dn.16xlarge", "1.9", "4.352", "use1-az1")
            + aws("g4dn.12xlarge", "1.7", "3.912", "use1-az1");
    List<Listing> known =
        hosted(aws("g4dn.xlarge", "0.2", "0.526", "use1-az1") + others).listings();
    FreshPrices fresh = hosted(aws("g4dn.xlarge", "0.019", "0.526", "use1-az1") + others);
    FreshPrices believed = PriceCheck.against(known).believed(fresh);
    assertThat(believed.refused())
        .containsExactly(
            new RefusedPrice(
                "g4dn.xlarge in aws/us-east-1/use1-az1, spot",
                "$0.019, where it was $0.20: more than a factor of 10"));
    assertThat(believed.listings()).hasSize(6);
    assertThat(believed.listings().get(0).spot()).isNull();
    assertThat(believed.listings().get(0).onDemand()).isEqualTo(usd("0.526"));
    assertThat(PriceCheck.against(known).acceptingJumps().believed(fresh).refused()).isEmpty();
  }

  @Test
  void aListThatIsCutShortOrInAnotherCurrencyIsRefusedAsAWhole() {
    List<Listing> known = knownOfAzure();
    List<Listing> part = known.subList(0, known.size() / 2 - 1);
    assertThatThrownBy(() -> PriceCheck.against(known).believed(new FreshPrices(part, List.of())))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("cut short");
    assertThatThrownBy(
            () -> PriceCheck.against(known).believed(new FreshPrices(times(100, known), List.of())))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("are not believed");
    assertThatThrownBy(
            () ->
                PriceCheck.against(known)
                    .acceptingJumps()
                    .believed(new FreshPrices(List.of(), List.of())))
        .isInstanceOf(BadInput.class);
  }

  // --- The account ---

  @Test
  void anAccountsPricesReplaceTheSpotPricesOfItsRegionAlone() throws IOException {
    List<Listing> known =
        hosted(
                aws("g4dn.xlarge", "0.2", "0.526", "use1-az1")
                    + aws("g4dn.xlarge", "0.2", "0.526", "use1-az2")
                    + aws("g4dn.xlarge", "0.2", "0.526", "usw2-az1")
                        .replace("us-east-1", "us-west-2"))
            .listings();
    FreshPrices prices =
        AccountSpotPrices.of(
            known,
            "us-east-1",
            List.of(
                new AccountSpotPrices.Stated("use1-az1", "g4dn.xlarge", "0.1612"),
                new AccountSpotPrices.Stated("use1-az2", "g4dn.xlarge", "0.0")));
    assertThat(prices.listings())
        .extracting(Listing::spot)
        .containsExactly(usd("0.1612"), null, usd("0.2"));
    assertThat(prices.refused())
        .containsExactly(new RefusedPrice("g4dn.xlarge in use1-az2, spot", "'0.0' is no price"));
    assertThatThrownBy(() -> AccountSpotPrices.of(known, "us-east-1", List.of()))
        .isInstanceOf(BadInput.class);
  }

  // --- The cache ---

  @Test
  void ofKeptAndBuiltInPricesTheNewerAreUsedCloudByCloud() throws IOException {
    PriceCache cache = new PriceCache(folder.resolve("prices"));
    Catalog snapshot = Catalogs.load(Catalogs.DEFAULT);
    assertThat(cache.isEmpty()).isTrue();
    assertThat(cache.newest(note -> {})).isSameAs(snapshot);
    Listing one = hosted(aws("g4dn.xlarge", "0.2", "0.526", "use1-az1")).listings().get(0);
    cache.keep("aws", catalog(one, "2026-11-19"));
    Catalog newest = cache.newest(note -> {});
    assertThat(newest.name()).isEqualTo("refreshed");
    assertThat(newest.dates().of("aws")).hasToString("2026-11-19");
    assertThat(newest.dates().of("gcp")).hasToString("2026-08");
    assertThat(newest.listings()).filteredOn(of("aws")).containsExactly(one);
    assertThat(newest.listings())
        .filteredOn(of("gcp"))
        .isEqualTo(snapshot.listings().stream().filter(of("gcp")).toList());
    cache.keep("aws", catalog(one, "2026-08-21"));
    assertThat(cache.newest(note -> {})).isSameAs(snapshot);
  }

  @Test
  void aKeptFileThatIsDamagedIsNamedAndNotUsed() throws IOException {
    PriceCache cache = new PriceCache(folder);
    Files.writeString(folder.resolve("aws.csv.gz"), "nothing of ours");
    List<String> notes = new ArrayList<>();
    assertThat(cache.newest(notes::add)).isSameAs(Catalogs.load(Catalogs.DEFAULT));
    assertThat(notes).singleElement().asString().contains("prices of aws are not used", "Maybe");
  }

  @Test
  void theShippedAddressesAreSafe() {
    PriceAddresses usual = PriceAddresses.usual();
    for (URI each : List.of(usual.hosted(), usual.azure())) {
      assertThat(WebPages.address(each.toString())).isEqualTo(each);
    }
  }

  private static Predicate<Listing> of(String cloud) {
    return each -> each.place().cloud().equals(cloud);
  }

  private static Catalog catalog(Listing one, String day) {
    return new Catalog("aws", LocalDate.parse(day), "a test", List.of(one), List.of());
  }
}
