package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class InterconnectTest {

  private static Interconnect of(String gpu) {
    return Interconnect.of(Objects.requireNonNull(Hardware.gpu(gpu), gpu));
  }

  private static Machine machine(String cloud, String name, String gpu) {
    Gpu model = Objects.requireNonNull(Hardware.gpu(gpu), gpu);
    return new Machine(cloud, name, "x", 8, null, new Gpus(model, 4), null, null, null, null);
  }

  @Test
  void everyRowNamesAGpuOrAnInstanceTypeOnceWithItsSource() {
    Set<String> seen = new HashSet<>();
    for (String[] row : Table.rows(Interconnect.TABLE)) {
      assertThat(row[0].contains("/") || Hardware.gpu(row[0]) != null).as(row[0]).isTrue();
      assertThat(seen.add(Hardware.spelling(row[0]))).as(row[0]).isTrue();
      assertThat(row[1]).isIn("nvlink", "pcie");
      assertThat(row[3]).as(row[0]).isNotBlank();
    }
  }

  @Test
  void modulesHaveNvlinkAndCardsTheBusOfTheirHost() {
    assertThat(of("H100")).isEqualTo(new Interconnect(Interconnect.Kind.NVLINK, 450e9));
    assertThat(of("L40S")).isEqualTo(new Interconnect(Interconnect.Kind.PCIE, 20e9));
    assertThat(of("T4")).isEqualTo(Interconnect.PCIE_3);
  }

  @Test
  void anInstanceTypeCanDifferFromOthersWithTheSameGpu() {
    assertThat(Interconnect.of(machine("azure", "Standard_NC24s_v3", "V100")).kind())
        .isEqualTo(Interconnect.Kind.PCIE);
    assertThat(Interconnect.of(machine("aws", "p3.8xlarge", "V100")).kind())
        .isEqualTo(Interconnect.Kind.NVLINK);
  }

  @Test
  void anInterconnectWithoutBandwidthIsRefused() {
    assertThatThrownBy(() -> new Interconnect(Interconnect.Kind.PCIE, 0))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("0.0 bytes/s");
  }
}
