package io.deepvm.catalog.skypilot;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpus;
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

class GcpPartsTest {

  private static final String HEADER =
      "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,"
          + "AvailabilityZone,Price,SpotPrice\n";
  private static final String CPU = "e2-standard-2,2,8,,,,us,us-a,0.07,0.02\n";

  private final Path folder;

  GcpPartsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private ImportedCatalog read(String rows) throws IOException {
    return Catalogs.read(Files.writeString(folder.resolve("gcp.csv"), HEADER + rows).toString());
  }

  private static String host(String type, String zone, String prices) {
    return "%s,12,85,,,,us,%s,%s\n".formatted(type, zone, prices);
  }

  private static String gpu(String name, int count, String zone, String prices) {
    return ",,,%s,%d,,us,%s,%s\n".formatted(name, count, zone, prices);
  }

  @Test
  void aHostCostsItselfAndItsGpusOfTheSameZoneOnBothMarkets() throws IOException {
    ImportedCatalog imported =
        read(
            host("a2-highgpu-2g", "us-a", "1.5,0.9")
                + gpu("A100", 1, "us-a", "3,1")
                + gpu("A100", 2, "us-b", "7,4")
                + gpu("A100", 2, "us-a", "6,2"));

    Listing listing = imported.catalog().listings().get(0);
    assertThat(imported.catalog().listings()).hasSize(1);
    assertThat(listing.onDemand()).isEqualTo(Money.parse("7.5"));
    assertThat(listing.spot()).isEqualTo(Money.parse("2.9"));
    assertThat(listing.machine().gpus())
        .extracting(gpus -> gpus.model().name(), Gpus::count)
        .containsExactly("A100", 2.0);
    assertThat(imported.reports().get(0).used()).isEqualTo(2);
    assertThat(imported.reports().get(0).skipped())
        .containsExactly(Map.entry(Skip.GPU_WITHOUT_HOST, 2));
  }

  @ParameterizedTest
  @CsvSource({
    "a2-highgpu-1g, A100, 1",
    "a2-highgpu-8g, A100, 8",
    "a2-megagpu-16g, A100, 16",
    "a2-ultragpu-4g, A100-80GB, 4",
    "a3-edgegpu-8g-nolssd, H100, 8",
    "a3-highgpu-1g, H100, 1",
    "a3-megagpu-8g, H100-MEGA, 8",
    "a3-ultragpu-8g, H200, 8",
    "a4-highgpu-8g, B200, 8",
    "g2-standard-4, L4, 1",
    "g2-standard-32, L4, 1",
    "g2-standard-24, L4, 2",
    "g2-standard-96, L4, 8",
    "g4-standard-48, RTXPRO6000, 1",
    "g4-standard-384, RTXPRO6000, 8"
  })
  void everyHostFindsItsKindAndNumberOfGpus(String type, String gpu, int count) throws IOException {
    Listing listing =
        read(host(type, "us-a", "1,1") + gpu(gpu, count, "us-a", "2,2"))
            .catalog()
            .listings()
            .get(0);

    assertThat(listing.machine().name()).isEqualTo(type);
    assertThat(Objects.requireNonNull(listing.machine().gpus()).count()).isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource({
    "T4, 1, n1-standard-4",
    "T4, 4, n1-standard-16",
    "P4, 2, n1-standard-8",
    "V100, 1, n1-standard-8",
    "V100, 8, n1-standard-64",
    "P100, 4, n1-standard-32"
  })
  void loneGpusAreAttachedToAnN1Host(String gpu, int count, String host) throws IOException {
    ImportedCatalog imported =
        read(host(host, "us-a", "0.2,0.1") + gpu(gpu, count, "us-a", "0.5,0.25"));

    Listing joined = imported.catalog().listings().get(1);
    assertThat(joined.machine().name()).isEqualTo(host + "+" + count + "x" + gpu);
    assertThat(joined.onDemand()).isEqualTo(Money.parse("0.7"));
    assertThat(joined.spot()).isEqualTo(Money.parse("0.35"));
    assertThat(imported.catalog().listings().get(0).machine().gpus()).isNull();
    assertThat(imported.reports().get(0).used()).isEqualTo(2);
    assertThat(imported.reports().get(0).listings()).isEqualTo(2);
  }

  @Test
  void aHostOfAGpuFamilyWithoutItsGpuIsSkipped() throws IOException {
    ImportedCatalog imported =
        read(
            CPU
                + host("g2-standard-4", "us-a", "1,1")
                + host("g4-standard-6", "us-a", "1,1")
                + gpu("RTXPRO6000", 1, "us-a", "1,1"));

    assertThat(imported.catalog().listings()).hasSize(1);
    assertThat(imported.reports().get(0).skipped())
        .containsExactly(Map.entry(Skip.GPU_WITHOUT_HOST, 1), Map.entry(Skip.HOST_WITHOUT_GPU, 2));
  }

  @Test
  void aMarketWhereTheGpuHasNoPriceIsNoOffer() throws IOException {
    Listing listing =
        read(host("a2-highgpu-1g", "us-a", "1,0.5") + gpu("A100", 1, "us-a", "3,0.0"))
            .catalog()
            .listings()
            .get(0);

    assertThat(listing.spot()).isNull();
    assertThat(listing.onDemand()).isEqualTo(Money.parse("4"));
  }

  @Test
  void aHostForNothingCostsItsGpus() throws IOException {
    Listing listing =
        read(host("a4-highgpu-8g", "us-a", "0.0,0.0") + gpu("B200", 8, "us-a", "90.216,39.6336"))
            .catalog()
            .listings()
            .get(0);

    assertThat(listing.onDemand()).isEqualTo(Money.parse("90.216"));
    assertThat(listing.spot()).isEqualTo(Money.parse("39.6336"));
  }

  @Test
  void tpusAndTheirHostsAreNoGpuMachines() throws IOException {
    ImportedCatalog imported =
        read(CPU + host("n1-340-48-tpu", "us-a", "3,1") + gpu("tpu-v3-8", 1, "us-a", "8,4"));

    assertThat(imported.reports().get(0).skipped()).containsExactly(Map.entry(Skip.NOT_A_GPU, 2));
  }
}
