package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WiresTest {

  private static final Set<String> CONTINENTS =
      Set.of(
          "north-america", "south-america", "europe", "asia", "oceania", "middle-east", "africa");

  private static final List<Place> PLACES =
      List.of(
          place("aws/us-east-1/use1-az1"),
          place("aws/us-east-1/use1-az2"),
          place("aws/us-west-2/usw2-az1"),
          place("aws/eu-west-1/euw1-az1"),
          place("gcp/us-west1/us-west1-a"),
          place("gcp/us-central1/us-central1-a"),
          place("gcp/europe-west1/europe-west1-b"),
          place("gcp/asia-east1/asia-east1-a"),
          place("gcp/australia-southeast1/australia-southeast1-a"),
          place("azure/southcentralus"),
          place("azure/eastus"),
          place("lambda/us-west-1"),
          place("runpod/US/US-TX-1"),
          place("nowhere/moon-1"));

  private static Place place(String text) {
    String[] parts = text.split("/", -1);
    return new Place(parts[0], parts[1], parts.length > 2 ? parts[2] : null);
  }

  @ParameterizedTest
  @CsvSource({
    "aws/us-east-1/use1-az1, aws/us-east-1/use1-az1, 0",
    "aws/us-east-1/use1-az1, aws/us-east-1/use1-az2, 0.02",
    "aws/us-east-1/use1-az1, aws/us-east-2/use2-az1, 0.01",
    "aws/us-east-1/use1-az1, aws/us-west-2/usw2-az1, 0.02",
    "aws/us-east-1/use1-az1, aws/eu-west-1/euw1-az1, 0.02",
    "aws/sa-east-1/sae1-az1, aws/us-east-1/use1-az1, 0.138",
    "gcp/us-central1/us-central1-a, gcp/us-central1/us-central1-b, 0.01",
    "gcp/us-central1/us-central1-a, gcp/us-west1/us-west1-a, 0.02",
    "gcp/us-central1/us-central1-a, gcp/europe-west1/europe-west1-b, 0.08",
    "gcp/australia-southeast1/a, gcp/us-central1/us-central1-a, 0.15",
    "azure/eastus, azure/westus2, 0.02",
    "aws/us-east-1/use1-az1, gcp/us-east1/us-east1-b, 0.09",
    "gcp/us-east1/us-east1-b, aws/us-east-1/use1-az1, 0.12",
    "azure/eastus, lambda/us-east-1, 0.087",
    "lambda/us-east-1, azure/eastus, 0",
    "runpod/US/US-TX-1, runpod/CZ/EU-CZ-1, 0"
  })
  void trafficHasThePriceOfBothEnds(String from, String to, String dollars) {
    assertThat(Wires.between(place(from), place(to)).egressPerGb()).isEqualTo(Money.parse(dollars));
  }

  @Test
  void speedAndDelayAreTheMeasuredOnes() {
    Wire zone = Wires.between(PLACES.get(5), PLACES.get(5));
    assertThat(zone.bandwidth()).isEqualTo(Bandwidth.ofMbps(6904));
    assertThat(zone.latency()).isEqualTo(Duration.ofNanos(660_000));
    Wire ocean = Wires.between(PLACES.get(5), PLACES.get(6));
    assertThat(ocean.bandwidth()).isEqualTo(Bandwidth.ofMbps(210));
    assertThat(ocean.latency()).isEqualTo(Duration.ofNanos(103_100_000));
    assertThat(ocean.source()).contains("Table 3").contains("Table 1");
  }

  @Test
  void betweenRegionsTheWideAreaMeasurementsComeBeforeThoseOfWholeContinents() {
    Wire exact = Wires.between(place("gcp/us-central1"), place("gcp/europe-west1"));
    Wire other = Wires.between(place("gcp/us-east4"), place("gcp/europe-west2"));
    assertThat(exact.bandwidth()).isEqualTo(Bandwidth.ofMbps(210));
    assertThat(other.bandwidth()).isNull();
    assertThat(other.latency()).isBetween(Duration.ofMillis(60), Duration.ofMillis(103));
    assertThat(other.many()).isNotNull();
    assertThat(other.source()).contains("Skyplane 2022");
    assertThat(Wires.between(place("aws/us-east-1/a"), place("gcp/us-east4")).latency())
        .isLessThan(Duration.ofMillis(10));
  }

  @Test
  void theRoundTripsOfBothMeasurementsAgree() {
    // The study of 2023 and Skyplane of 2022 measured these pairs, each by its own means.
    for (String[] pair :
        new String[][] {
          {"us-central1", "europe-west1"},
          {"us-central1", "asia-east1"},
          {"us-central1", "australia-southeast1"},
          {"europe-west1", "asia-east1"},
          {"europe-west1", "australia-southeast1"},
          {"asia-east1", "australia-southeast1"}
        }) {
      Place from = new Place("gcp", pair[0], null);
      Place to = new Place("gcp", pair[1], null);
      Duration study = Objects.requireNonNull(Wires.between(from, to).latency());
      WideArea area = Objects.requireNonNull(WideArea.between(from, to));
      double ratio = Objects.requireNonNull(area.roundTrip()).toNanos() / (double) study.toNanos();
      assertThat(ratio).as("%s to %s", from, to).isBetween(0.9, 1.1);
    }
  }

  @Test
  void speedAndDelayHoldBothWays() {
    for (Place a : PLACES) {
      for (Place b : PLACES) {
        Wire there = Wires.between(a, b);
        Wire back = Wires.between(b, a);
        assertThat(there.bandwidth()).as("%s to %s", a, b).isEqualTo(back.bandwidth());
        assertThat(there.latency()).as("%s to %s", a, b).isEqualTo(back.latency());
      }
    }
  }

  @Test
  void dataNeverCostsMoreToMoveWithinAZoneThanOutOfIt() {
    for (Place a : PLACES) {
      Money inside = Wires.between(a, a).egressPerGb();
      for (Place b : PLACES) {
        Money outside = Wires.between(a, b).egressPerGb();
        if (inside != null && outside != null) {
          assertThat(inside).as("%s to %s", a, b).isLessThanOrEqualTo(outside);
        }
      }
    }
  }

  @Test
  void whatNobodyMeasuredIsUnknown() {
    assertThat(Wires.between(place("nowhere/moon-1"), place("nowhere/moon-2")))
        .isEqualTo(new Wire(null, null, null, null, ""));
    Wire unmeasured = Wires.between(place("azure/southcentralus"), place("lambda/us-west-1"));
    assertThat(unmeasured.bandwidth()).isNull();
    assertThat(unmeasured.latency()).isNull();
    assertThat(unmeasured.source()).isNotEmpty();
  }

  @Test
  void everyRowStatesAFigureAndItsSource() {
    for (String[] row : Table.rows(Wires.TABLE)) {
      assertThat(row[3] + row[4] + row[5]).as(String.join(",", row)).isNotEmpty();
      assertThat(row[6]).as(String.join(",", row)).isNotBlank();
    }
  }

  @Test
  void theRulesSpeakOnlyOfContinentsThatExist() {
    assertThat(Table.rows(Continents.TABLE)).allMatch(row -> CONTINENTS.contains(row[2]));
  }

  @Test
  void everyRegionOfTheCatalogsLiesOnAContinent() throws IOException {
    SharedData.catalogs()
        .forEach(
            (cloud, rows) ->
                assertThat(rows.stream().map(row -> row.getField("Region")).distinct())
                    .as(cloud)
                    .allSatisfy(region -> assertThat(continent(cloud, region)).isNotNull()));
  }

  private static @Nullable String continent(String cloud, String region) {
    return Continents.of(new Place(cloud, region, null));
  }

  @Test
  void thePricesBetweenAwsRegionsAreTheListedOnes() throws IOException {
    List<NamedCsvRecord> pairs = SharedData.csv("data/skynomad/aws_egress_pricing.csv");
    assertThat(pairs).hasSizeGreaterThan(1000);
    for (NamedCsvRecord pair : pairs) {
      Place from = new Place("aws", pair.getField("from_region"), null);
      Place to = new Place("aws", pair.getField("to_region"), null);
      assertThat(Wires.between(from, to).egressPerGb())
          .as("%s to %s", from, to)
          .isEqualTo(Money.parse(pair.getField("price_usd_per_gb")));
    }
  }
}
