package io.deepvm.catalog.skypilot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.ImportReport;
import io.deepvm.catalog.ImportReport.Note;
import io.deepvm.catalog.ImportReport.Skip;
import io.deepvm.catalog.ImportedCatalog;
import io.deepvm.catalog.Listing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SkyPilotFormatTest {

  private static final String HEADER =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,"
          + "Region,AvailabilityZone\n";

  private final Path folder;

  SkyPilotFormatTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private ImportedCatalog read(String cloud, String rows) throws IOException {
    return Catalogs.read(
        Files.writeString(folder.resolve(cloud + ".csv"), HEADER + rows).toString());
  }

  private Listing only(String cloud, String row) throws IOException {
    return read(cloud, row).catalog().listings().get(0);
  }

  private Gpus gpus(String cloud, String row) throws IOException {
    return Objects.requireNonNull(only(cloud, row).machine().gpus());
  }

  @Test
  void columnsAreFoundByNameInAnyOrder() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("aws.csv"),
            """
            Region,Price,vCPUs,Extra,AcceleratorCount,AcceleratorName,MemoryGiB,InstanceType
            us-east-1,0.10000049,2.0,x,,,8.0,m5.large
            """);

    Listing listing = Catalogs.load(file.toString()).listings().get(0);

    assertThat(listing.place()).hasToString("aws/us-east-1");
    assertThat(listing.onDemand()).isEqualTo(Money.parse("0.1"));
    assertThat(listing.spot()).isNull();
    assertThat(listing.machine().memory()).isEqualTo(DataSize.ofGib(8));
    assertThat(listing.machine().family()).isEqualTo("m");
  }

  @Test
  void aSpotPriceAboveOnDemandIsLoweredToItAndNoted() throws IOException {
    ImportedCatalog imported = read("aws", "c6i.large,,,2,4,,0.085,0.106,us-east-1,use1-az2\n");

    assertThat(imported.catalog().listings().get(0).spot()).isEqualTo(Money.parse("0.085"));
    assertThat(imported.reports().get(0).notes()).containsExactly(Map.entry(Note.SPOT_LOWERED, 1));
  }

  @Test
  void aSpotPriceOfZeroIsNoOffer() throws IOException {
    ImportedCatalog imported = read("vast", "1x-A-32,,,32,64,,0.44,0.00,\"Denmark, DK, EU\",\n");

    assertThat(imported.catalog().listings().get(0).spot()).isNull();
    assertThat(imported.reports().get(0).notes()).containsKey(Note.ZERO_IS_NO_OFFER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Denmark, DK, EU  | vast/Denmark-DK-EU
          , US, NA         | vast/US-NA
          East Coast (NY2) | vast/East-Coast-NY2
          a/b*c              | vast/a-b-c
          """)
  void anyRegionBecomesAPartOfAPlace(String region, String place) throws IOException {
    assertThat(only("vast", "1x-A-32,,,32,64,,0.44,,\"" + region + "\",\n").place())
        .hasToString(place);
  }

  @Test
  void aSliceOfAGpuKeepsItsFractionAndTheMemoryOfTheWhole() throws IOException {
    Gpus gpus =
        gpus(
            "aws",
            "g6f.large,Unheard,0.125,2,8,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 3072}}]}\",1,,r,\n");

    assertThat(gpus.count()).isEqualTo(0.125);
    assertThat(gpus.model().memory()).isEqualTo(DataSize.ofGib(24));
  }

  @ParameterizedTest
  @CsvSource({
    "aws, 8, 81920, 80",
    "runpod, 4, 80, 80",
    "runpod, 4, 24, 24",
    "primeintellect, 8, 655360, 80",
    "primeintellect, 1, 81920, 80",
    "vast, 4, 98304, 24",
    "lambda, 2, 184320, 180"
  })
  void gpuMemoryIsThatOfOneGpuWhateverTheFileStates(
      String cloud, String count, String stated, double gib) throws IOException {
    String python = "\"{'Gpus': [{'Name': 'X', 'MemoryInfo': {'SizeInMiB': %s}}]}\"";
    String json = "\"{\"\"Gpus\"\":[{\"\"MemoryInfo\"\":{\"\"SizeInMiB\"\":%s}}]}\"";
    for (String info : new String[] {python, json}) {
      String row = "t,Unheard,%s,2,8,%s,1,,r,\n".formatted(count, info.formatted(stated));

      assertThat(gpus(cloud, row).model().memory()).isEqualTo(DataSize.ofGib(gib));
    }
  }

  @Test
  void aBareNameInGpuInfoLeavesTheMemoryToTheHardwareTable() throws IOException {
    assertThat(gpus("azure", "Standard_NC1,Unheard,1,6,56,Unheard,0.9,,eastus,\n").model().memory())
        .isNull();
  }

  @Test
  void azureCountsArePutRight() throws IOException {
    ImportedCatalog imported =
        read(
            "azure",
            """
            Standard_ND96isr_H100_v5,H100,12,96,1900,H100,98.32,,eastus,
            Standard_NV8as_v4,Radeon MI25,1,8,28,Radeon MI25,0.466,,eastus,
            Standard_NV32as_v4,Radeon MI25,1,32,112,Radeon MI25,1.864,,eastus,
            Standard_NC8ads_A10_v4,,,8,55,,0.454,,eastus,
            """);

    assertThat(imported.catalog().listings())
        .extracting(listing -> Objects.requireNonNull(listing.machine().gpus()).count())
        .containsExactly(8.0, 0.25, 1.0);
    assertThat(imported.catalog().listings().get(0).place().zone()).isNull();
    assertThat(imported.reports().get(0).notes()).containsEntry(Note.GPU_COUNT_CORRECTED, 2);
    assertThat(imported.reports().get(0).skipped()).containsEntry(Skip.HOST_WITHOUT_GPU, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          t,,,2,8,,,,r,z                            | NO_PRICE
          t,,,2,8,,0,,r,z                           | ZERO_PRICE
          t,,,2,8,,0.0,0.00,r,z                     | ZERO_PRICE
          t,Inferentia2,1,2,8,,1,1,r,z              | NOT_A_GPU
          t,Trainium,16,2,8,,1,1,r,z                | NOT_A_GPU
          t,Virtex UltraScale+ (VU47P),1,2,8,,1,,r, | NOT_A_GPU
          ,tpu-v3-8,1,,,tpu-v3-8,8.0,,r,z           | NOT_A_GPU
          ,L4,1,,,,1,1,r,z                          | GPU_WITHOUT_HOST
          t,L4,,2,8,,1,1,r,z                        | UNCLEAR_GPU
          t,,1,2,8,,1,1,r,z                         | UNCLEAR_GPU
          t,,,,8,,1,1,r,z                           | NO_SIZE
          t,,,2,,,1,1,r,z                           | NO_SIZE
          t,,,2,8,,1,1,,z                           | NO_PLACE
          good,,,2,8,,3,3,r,z                       | DUPLICATE
          """)
  void aRowThatCannotBeUsedIsCountedByItsReason(String row, Skip reason) throws IOException {
    ImportReport report = read("aws", "good,,,2,8,,1,1,r,z\n" + row + "\n").reports().get(0);

    assertThat(report.read()).isEqualTo(2);
    assertThat(report.used()).isEqualTo(1);
    assertThat(report.skipped()).containsExactly(Map.entry(reason, 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          t,,,2,8,,-1,,r,z       | line 3, column Price: the price '-1' is negative.
          t,,,2,8,,1,nan,r,z     | line 3, column SpotPrice: 'nan' is not a price.
          t,,,two,8,,1,,r,z      | line 3, column vCPUs: 'two' is not a number.
          t,,,2,-8,,1,,r,z       | line 3, column MemoryGiB: '-8' is negative.
          t,A,1f,2,8,,1,,r,z     | line 3, column AcceleratorCount: '1f' is not a number.
          t,,,2,8,,1,,r          | line 3, column 10: the row has 9 fields
          t,,,2,8,'"x,1,,r,z'    | line 3
          """)
  void aMalformedRowNamesFileLineAndColumn(String row, String message) {
    BadInput error =
        catchThrowableOfType(
            BadInput.class, () -> read("aws", "good,,,2,8,,1,1,r,z\n" + row + "\n"));

    assertThat(error).hasMessageContaining("aws.csv, ").hasMessageContaining(message);
  }

  @Test
  void aMissingColumnIsNamedWithTheNearestThatIsThere() throws IOException {
    Path file = Files.writeString(folder.resolve("aws.csv"), HEADER.replace("Price,S", "Prize,S"));

    BadInput error = catchThrowableOfType(BadInput.class, () -> Catalogs.load(file.toString()));

    assertThat(error).hasMessageContaining("line 1: there is no column 'Price'");
    assertThat(error.wayOut()).contains("'Prize'");
  }

  @Test
  void rowsOfOneMachineShareIt() throws IOException {
    ImportedCatalog imported = read("aws", "t,,,2,8,,1,1,r,a\nt,,,2,8,,2,2,r,b\n");

    assertThat(imported.catalog().listings().get(0).machine())
        .isSameAs(imported.catalog().listings().get(1).machine());
  }
}
