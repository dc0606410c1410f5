package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FamiliesTest {

  @ParameterizedTest
  @CsvSource({
    "aws, g4dn.xlarge, g",
    "aws, p6-b200.48xlarge, p",
    "aws, vt1.3xlarge, vt",
    "aws, u-6tb1.metal, u",
    "aws, c7i-flex.large, c",
    "gcp, a2-highgpu-1g, a2",
    "gcp, n1-standard-4+1xT4, n1",
    "azure, Standard_NC4as_T4_v3, nc",
    "azure, Standard_ND96isr_H100_v5, nd",
    "azure, Basic_A0, a",
    "lambda, cpu_4x_general, all"
  })
  void aFamilyIsThePartOfTheNameThatQuotasSpeakOf(String cloud, String type, String family) {
    assertThat(Families.of(cloud, type, null)).isEqualTo(family);
  }

  @Test
  void whereACloudHasNoFamiliesTheGpuIsOne() {
    assertThat(Families.of("runpod", "2x_L4_SECURE", "L4")).isEqualTo("l4");
    assertThat(Families.of("verda", "1x", "RTX PRO 6000")).isEqualTo("rtx-pro-6000");
  }
}
