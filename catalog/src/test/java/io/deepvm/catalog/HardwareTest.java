package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HardwareTest {

  /** Names that mean several GPUs, GPUs without a source, GPUs PyTorch no longer trains on. */
  private static final Set<String> UNKNOWN_GPUS =
      Set.of(
          "H100-NVLINK",
          "P4000",
          "RTX3060",
          "RTX4060",
          "RTX4070",
          "Radeon MI25",
          "Radeon Pro V520");

  private static final Set<String> NOT_GPUS =
      Set.of(
          "Inferentia", "Inferentia2", "Trainium", "Qualcomm AI100", "Virtex UltraScale+ (VU47P)");

  private static List<Gpu> gpus() {
    return Table.rows(Hardware.GPUS).stream().map(row -> known(row[0])).toList();
  }

  private static Gpu known(String name) {
    return Objects.requireNonNull(Hardware.gpu(name), name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RTXA6000", "RTX-A6000", "A6000", "rtx a6000", "RTX_A6000"})
  void aGpuIsFoundUnderEveryCatalogsSpelling(String spelling) {
    assertThat(known(spelling).name()).isEqualTo("A6000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "tpu-v4-8", "Trainium", "A1000", "/", "azure/"})
  void whatTheTableDoesNotHoldIsUnknown(String name) {
    assertThat(Hardware.gpu(name)).isNull();
  }

  @Test
  void everySpellingNamesOneGpu() {
    Set<String> seen = new HashSet<>();
    for (String[] row : Table.rows(Hardware.GPUS)) {
      Set<String> ofRow = new HashSet<>();
      ofRow.add(Hardware.spelling(row[0]));
      for (String alias : row[1].split(";", -1)) {
        if (!alias.isEmpty()) {
          ofRow.add(Hardware.spelling(alias));
          assertThat(known(alias).name()).isEqualTo(row[0]);
        }
      }
      assertThat(ofRow).as(row[0]).noneMatch(seen::contains);
      seen.addAll(ofRow);
    }
  }

  @Test
  void aCloudMayMeanAnotherGpuByTheSameName() {
    assertThat(Hardware.gpu("aws", "p5.48xlarge", "H100")).isSameAs(known("H100-SXM"));
    assertThat(Hardware.gpu("runpod", "1x_H100_SECURE", "H100")).isSameAs(known("H100-PCIe"));
    assertThat(Hardware.gpu("azure", "Standard_NC40ads_H100_v5", "H100"))
        .isSameAs(known("H100-NVL"));
    assertThat(Hardware.gpu("azure", "Standard_ND96isr_H100_v5", "H100")).isSameAs(known("H100"));
    assertThat(Hardware.gpu("nebius", "gpu-rtx6000_1gpu-24vcpu-218gb", "RTX6000"))
        .isSameAs(known("RTXPRO6000"));
    assertThat(Hardware.gpu("aws", "trn1.2xlarge", "Trainium")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "H100, 80, 66.9, 494.7, 989.4",
    "A100, 40, 19.5, 156, 312",
    "A100-80GB, 80, 19.5, 156, 312",
    "T4, 16, 8.1, 8.1, 65",
    "V100, 16, 15.7, 15.7, 125",
    "L4, 24, 30.3, 60, 121",
    "A10G, 24, 35, 35, 70"
  })
  void theUsualGpusHaveTheirDatasheetFigures(
      String name, double gib, double fp32, double tf32, double fp16) {
    Gpu gpu = known(name);
    assertThat(gpu.memory()).isEqualTo(DataSize.ofGib(gib));
    assertThat(gpu.flops(Precision.FP32)).isCloseTo(fp32 * 1e12, within(1.0));
    assertThat(gpu.flops(Precision.TF32)).isCloseTo(tf32 * 1e12, within(1.0));
    assertThat(gpu.flops(Precision.FP16)).isCloseTo(fp16 * 1e12, within(1.0));
  }

  @ParameterizedTest
  @CsvSource({"T4, 320", "A10G, 600", "V100, 900", "A100, 1555", "H100, 3350", "B200, 8000"})
  void theUsualGpusHaveTheirMemoryBandwidth(String name, double gigabytes) {
    assertThat(known(name).memoryBytesPerSecond()).isEqualTo(gigabytes * 1e9);
  }

  /**
   * A tensor core does two 16-bit operations in the time of one tf32: sparse figures break this.
   */
  @Test
  void theFiguresAreDense() {
    for (Gpu gpu : gpus()) {
      Double tf32 = gpu.peaks().get(Precision.TF32);
      Double fp16 = gpu.peaks().get(Precision.FP16);
      Double fp32 = gpu.peaks().get(Precision.FP32);
      if (tf32 != null) {
        assertThat(Objects.requireNonNull(fp16)).as(gpu.name()).isBetween(1.97 * tf32, 2.03 * tf32);
        if (fp32 != null) {
          assertThat(tf32).as(gpu.name()).isGreaterThanOrEqualTo(fp32);
        }
      }
      if (gpu.name().contains("H100") || gpu.name().contains("H200")) {
        assertThat(fp16).as(gpu.name()).isLessThan(1000e12);
      }
    }
  }

  @Test
  void eightBitsAreTwiceAsFastAsSixteenAndTheTwoSixteensAreEquallyFast() {
    for (Gpu gpu : gpus()) {
      Double fp16 = gpu.peaks().get(Precision.FP16);
      Double fp8 = gpu.peaks().get(Precision.FP8);
      if (gpu.has(Precision.BF16)) {
        assertThat(gpu.flops(Precision.BF16)).as(gpu.name()).isEqualTo(fp16);
      }
      if (fp8 != null) {
        assertThat(gpu.has(Precision.BF16)).as(gpu.name()).isTrue();
        assertThat(fp8 / Objects.requireNonNull(fp16)).as(gpu.name()).isBetween(1.97, 2.03);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"T4, fp16", "V100, fp16", "A100, bf16", "L4, fp8", "H100, fp8", "MI300X, fp8"})
  void aGpuIsKnownToLackWhatItsGenerationLacks(String name, String narrowest) {
    assertThat(known(name).has(Precision.BF16)).isEqualTo(!narrowest.equals("fp16"));
    assertThat(known(name).has(Precision.FP8)).isEqualTo(narrowest.equals("fp8"));
  }

  @Test
  void withoutBf16AGpuRunsAtFp16AndWithoutFp8NotAtAll() {
    assertThat(known("T4").flops(Precision.BF16)).isEqualTo(65e12);
    assertThat(known("A100").flops(Precision.FP8)).isNull();
  }

  @Test
  void theVendorIsKnownOfEveryGpu() {
    assertThat(gpus()).allSatisfy(gpu -> assertThat(gpu.vendor()).as(gpu.name()).isNotNull());
    assertThat(known("MI300X").vendor()).isEqualTo(Vendor.AMD);
    assertThat(known("L4").vendor()).isEqualTo(Vendor.NVIDIA);
  }

  @Test
  void everyGpuHasItsMemoryAndEveryRowItsSource() {
    assertThat(gpus()).allSatisfy(gpu -> assertThat(gpu.memory()).as(gpu.name()).isNotNull());
    assertThat(Table.rows(Hardware.GPUS)).allMatch(row -> !row[10].isBlank());
    assertThat(Table.rows(Hardware.MACHINES)).allMatch(row -> !row[4].isBlank());
  }

  @Test
  void everyGpuOfTheCatalogsIsKnownButTheStatedOnes() throws IOException {
    TreeSet<String> unknown = new TreeSet<>();
    SharedData.catalogs()
        .forEach(
            (cloud, rows) -> {
              for (NamedCsvRecord row : rows) {
                String name = row.getField("AcceleratorName");
                if (!name.isEmpty()
                    && Hardware.gpu(cloud, row.getField("InstanceType"), name) == null) {
                  unknown.add(name);
                }
              }
            });
    unknown.removeIf(name -> name.startsWith("tpu-") || NOT_GPUS.contains(name));
    assertThat(unknown).containsExactlyInAnyOrderElementsOf(UNKNOWN_GPUS);
  }

  @ParameterizedTest
  @CsvSource({
    "aws, g4dn.xlarge, 5000",
    "aws, p4d.24xlarge, 400000",
    "gcp, n1-standard-4, 10000",
    "gcp, a2-highgpu-1g, 24000",
    "gcp, g2-standard-96, 100000",
    "azure, Standard_NC24ads_A100_v4, 20000",
    "azure, Standard_F2s_v2, 5000"
  })
  void networkIsTheBaseline(String cloud, String type, double mbps) {
    assertThat(Hardware.network(cloud, type)).isEqualTo(Bandwidth.ofMbps(mbps));
  }

  @Test
  void aGpuOnABareHostHasTheHostsNetwork() {
    assertThat(Hardware.network("gcp", "n1-standard-4+1xT4")).isEqualTo(Bandwidth.ofGbps(10));
    assertThat(Hardware.deviceCopy("gcp", "n1-standard-4+1xT4")).isNull();
  }

  @Test
  void deviceCopyIsTheSlowerDirectionInBytes() {
    assertThat(Hardware.deviceCopy("aws", "g4dn.xlarge")).isEqualTo(Bandwidth.parse("6.27GB/s"));
    assertThat(Hardware.deviceCopy("azure", "Standard_NC24ads_A100_v4"))
        .isEqualTo(Bandwidth.parse("26.33GB/s"));
  }

  @Test
  void machinesWithoutASourceAreUnknown() {
    assertThat(Hardware.network("runpod", "1x_H100_SECURE")).isNull();
    assertThat(Hardware.network("lambda", "gpu_1x_a10")).isNull();
    assertThat(Hardware.network("gcp", "g4dn.xlarge")).isNull();
    assertThat(Hardware.deviceCopy("aws", "m5.large")).isNull();
  }

  @Test
  void noMachineIsListedTwice() {
    List<String> names = new ArrayList<>();
    for (String[] row : Table.rows(Hardware.MACHINES)) {
      names.add(row[0] + '/' + row[1]);
    }
    assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(1800);
  }

  @Test
  void theMachinesAgreeWithWhatTheyWereTakenFrom() throws IOException {
    for (NamedCsvRecord row : SharedData.csv("data/hardware/aws_baseline_bandwidth_mbps.csv")) {
      assertThat(Hardware.network("aws", row.getField("instance_type")))
          .isEqualTo(Bandwidth.ofMbps(Double.parseDouble(row.getField("baseline_megabits"))));
    }
    for (NamedCsvRecord row : SharedData.csv("data/hardware/nvbandwidth_h2d_d2h_gbps.csv")) {
      Bandwidth copy = Hardware.deviceCopy(row.getField("vendor"), row.getField("instance_type"));
      if (copy != null) {
        double slower =
            Math.min(
                Double.parseDouble(row.getField("h2d_GBps_gpu0")),
                Double.parseDouble(row.getField("d2h_GBps_gpu0")));
        assertThat(copy.bytesPerSecond() / 1e9).isCloseTo(slower, within(0.006));
      }
    }
  }
}
