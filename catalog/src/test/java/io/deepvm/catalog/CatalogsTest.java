package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogsTest {

  private static final String SKYPILOT =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n";

  private final Path folder;

  CatalogsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void everyBuiltInCatalogLoadsUnderItsOwnName() {
    for (String name : Catalogs.builtIn()) {
      Catalog catalog = Catalogs.load(name);
      assertThat(catalog.name()).isEqualTo(name);
      assertThat(catalog.asOf()).isNotNull();
      assertThat(catalog.source()).isNotBlank();
    }
  }

  @Test
  void theSnapshotHoldsTheFiveCloudsWithWorkersAndAnchorsOnEach() {
    Catalog snapshot = Catalogs.load(Catalogs.DEFAULT);

    assertThat(snapshot.asOf()).isEqualTo(LocalDate.of(2026, 8, 22));
    assertThat(snapshot.source()).contains("SkyPilot").contains("Azure 2025-09");
    assertThat(
            snapshot.listings().stream()
                .map(listing -> listing.place().cloud() + listing.machine().trains())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            "awstrue",
            "awsfalse",
            "gcptrue",
            "gcpfalse",
            "azuretrue",
            "azurefalse",
            "lambdatrue",
            "lambdafalse",
            "runpodtrue",
            "runpodfalse");
    assertThat(snapshot.listings().stream().map(Listing::key)).doesNotHaveDuplicates();
    assertThat(snapshot.listings())
        .allSatisfy(
            listing ->
                assertThat(List.of(Market.values()))
                    .anyMatch(market -> listing.offer(market) != null));
  }

  @Test
  void aMisspeltNameSuggestsTheNearestBuiltInCatalog() {
    BadInput error = catchThrowableOfType(BadInput.class, () -> Catalogs.load("snapshto"));

    assertThat(error).hasMessageContaining("'snapshto'");
    assertThat(error.wayOut()).isEqualTo("Maybe you meant 'snapshot'.");
  }

  @Test
  void aFileInNoKnownFormatNamesTheFormats() throws IOException {
    Path file = Files.writeString(folder.resolve("notes.txt"), "hello\nworld\n");

    BadInput error = catchThrowableOfType(BadInput.class, () -> Catalogs.load(file.toString()));

    assertThat(error).hasMessageContaining("notes.txt");
    assertThat(error.wayOut()).contains("SkyPilot's CSV").contains("DeepVM's JSON");
  }

  @Test
  void anEmptyFileAndABinaryFileAreRefused() throws IOException {
    Path empty = Files.writeString(folder.resolve("empty.csv"), "");
    Path binary =
        Files.write(folder.resolve("binary.csv"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

    assertThat(catchThrowableOfType(BadInput.class, () -> Catalogs.load(empty.toString())))
        .hasMessageContaining("no catalog format");
    assertThat(catchThrowableOfType(BadInput.class, () -> Catalogs.load(binary.toString())))
        .hasMessageContaining("not UTF-8");
  }

  @Test
  void aFolderOfCsvFilesIsOneCatalogNamedAfterIt() throws IOException {
    Path market = Files.createDirectory(folder.resolve("market"));
    Files.writeString(market.resolve("aws.csv"), SKYPILOT + "m5.large,,,2,8,,0.1,0.04,us-east-1\n");
    Files.writeString(market.resolve("do.csv"), SKYPILOT + "s-2,,,2,4,,0.05,,nyc1\n");
    Files.writeString(market.resolve("README.md"), "not a catalog");

    ImportedCatalog imported = Catalogs.read(market.toString());

    assertThat(imported.catalog().name()).isEqualTo("market");
    assertThat(imported.catalog().asOf()).isNull();
    assertThat(imported.catalog().listings().stream().map(listing -> listing.place().toString()))
        .containsExactly("aws/us-east-1", "do/nyc1");
    assertThat(imported.reports()).extracting(ImportReport::cloud).containsExactly("aws", "do");
    assertThat(imported.catalog().withAsOf(LocalDate.EPOCH).asOf()).isEqualTo(LocalDate.EPOCH);
  }

  @Test
  void aFolderWithoutCsvFilesIsRefused() {
    assertThat(catchThrowableOfType(BadInput.class, () -> Catalogs.load(folder.toString())))
        .hasMessageContaining("no CSV files");
  }

  @Test
  void twoFilesThatListTheSameMachineInTheSamePlaceAreRefused() throws IOException {
    Files.writeString(folder.resolve("aws.csv"), SKYPILOT + "m5.large,,,2,8,,0.1,0.04,us-east-1\n");
    Files.writeString(
        folder.resolve("own.csv"),
        "# deepvm catalog v1\ncloud,region,instance_type,vcpus,spot\naws,us-east-1,m5.large,2,1\n");

    assertThat(catchThrowableOfType(BadInput.class, () -> Catalogs.load(folder.toString())))
        .hasMessageContaining("m5.large in aws/us-east-1");
  }

  @Test
  void thePaperListsWhatTheArticleStates() {
    Catalog paper = Catalogs.load("paper");

    assertThat(paper.listings()).hasSize(11);
    assertThat(paper.quotas()).hasSize(10);
    Listing g4dn = paper.listings().get(1);
    assertThat(g4dn.machine().name()).isEqualTo("g4dn.xlarge");
    assertThat(g4dn.machine().flops(Precision.FP16)).isEqualTo(377);
    assertThat(g4dn.spot()).isEqualTo(Money.parse("0.1578"));
    assertThat(paper.quotas().get(1).nodes(g4dn.machine())).isEqualTo(32);
  }
}
