package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.catalog.refresh.SnapshotSelection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SkyPilotMarketIT {

  private static Path data;
  private static ImportedCatalog market;

  private final Path folder;

  SkyPilotMarketIT(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  static void readTheWholeMarket() {
    data = Shared.path("data/catalog");
    market = Catalogs.read(data.toString());
  }

  @Test
  void everyRowOfEveryFileIsUsedOrSkippedForAReason() throws IOException {
    for (ImportReport report : market.reports()) {
      try (Stream<String> lines = Files.lines(Path.of(report.file()))) {
        assertThat(report.read()).as(report.file()).isEqualTo((int) lines.count() - 1);
      }
      int skipped = report.skipped().values().stream().mapToInt(Integer::intValue).sum();
      assertThat(report.used() + skipped).as(report.file()).isEqualTo(report.read());
    }
    assertThat(market.reports().stream().mapToInt(ImportReport::listings).sum())
        .isEqualTo(market.catalog().listings().size());
  }

  // Sums of the two rows that the file has for the zone.
  @ParameterizedTest
  @CsvSource({
    "a2-highgpu-1g, us-central1-a, 0.73948, 2.93391, 0.42691, 1.6939",
    "a2-megagpu-16g, us-central1-a, 8.79698, 46.94253, 5.07856, 27.1024",
    "a2-ultragpu-8g, us-central1-a, 8.79698, 31.42464, 5.07856, 18.1472",
    "a3-highgpu-8g, us-central1-a, 9.46006, 78.3724, 5.6759, 47.0232",
    "a3-megagpu-8g, us-central1-a, 9.46006, 82.75421, 5.6759, 49.6448",
    "a3-ultragpu-8g, us-central1-b, 12.266, 74.49392, 7.35926, 43.0208",
    "g2-standard-4, us-central1-a, 0.14679, 0.56004, 0.08806, 0.3359",
    "g2-standard-96, us-central1-a, 3.52301, 4.48032, 2.11334, 2.6872",
    "g4-standard-48, us-central1-b, 3.40428, 1.09565, 1.1673, 0.4821",
    "n1-standard-4+1xT4, us-central1-a, 0.19, 0.35, 0.08918, 0.1905",
    "n1-standard-64+8xV100, us-central1-a, 3.03998, 19.84, 1.42688, 10.8552"
  })
  void gcpMachinesCostHostAndGpus(
      String type, String zone, String host, String gpu, String spotHost, String spotGpu) {
    Listing listing =
        market.catalog().listings().stream()
            .filter(each -> zone.equals(each.place().zone()) && each.machine().name().equals(type))
            .findFirst()
            .orElseThrow();

    assertThat(listing.onDemand()).isEqualTo(Money.parse(host).plus(Money.parse(gpu)));
    assertThat(listing.spot()).isEqualTo(Money.parse(spotHost).plus(Money.parse(spotGpu)));
  }

  @Test
  void spotIsNeverDearerAndNothingIsFree() {
    assertThat(market.catalog().listings())
        .allMatch(listing -> listing.spot() != null || listing.onDemand() != null)
        .allMatch(listing -> listing.spot() == null || listing.spot().isPositive())
        .allMatch(listing -> listing.onDemand() == null || listing.onDemand().isPositive())
        .allMatch(
            listing ->
                listing.spot() == null
                    || listing.onDemand() == null
                    || listing.spot().compareTo(listing.onDemand()) <= 0);
  }

  @Test
  void gpuMemoryIsThatOfOneGpuOnEveryCloud() {
    List<Double> sizes =
        market.catalog().listings().stream()
            .map(listing -> listing.machine().gpus())
            .filter(gpus -> gpus != null && gpus.model().memory() != null)
            .map(gpus -> gpus.model().memory().gib())
            .distinct()
            .toList();

    assertThat(sizes).allSatisfy(gib -> assertThat(gib).isBetween(7.9, 289.0));
  }

  @Test
  void everyPlaceHasThreePlainParts() {
    assertThat(market.catalog().listings())
        .allSatisfy(
            listing ->
                assertThat(new PlaceFilter(listing.place().toString()).matches(listing.place()))
                    .isTrue());
  }

  @Test
  void theWholeMarketSurvivesOurOwnFormat() {
    Path file = folder.resolve("market.csv.gz");

    Catalogs.write(market.catalog(), file);

    Catalog read = Catalogs.load(file.toString());
    assertSameListings(read.listings(), market.catalog().listings());
    assertThat(read.quotas()).isEqualTo(market.catalog().quotas());
  }

  @Test
  void theSnapshotIsWhatTheSelectionTakesFromTheMarket() {
    assertSameListings(
        Catalogs.load(Catalogs.DEFAULT).listings(),
        SnapshotSelection.of(market.catalog().listings()));
  }

  // One by one: the lists are too long to be printed whole when they differ.
  private static void assertSameListings(List<Listing> actual, List<Listing> expected) {
    for (int i = 0; i < Math.min(actual.size(), expected.size()); i++) {
      assertThat(actual.get(i)).isEqualTo(expected.get(i));
    }
    assertThat(actual.size()).isEqualTo(expected.size());
  }
}
