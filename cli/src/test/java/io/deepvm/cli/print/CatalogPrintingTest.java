package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogPrintingTest {

  @Test
  void coverageCountsWhatIsKnown() {
    assertThat(Coverage.byCloud(Samples.CATALOG))
        .containsExactly(new Coverage("aws", 2, 3, 1, 3, 2, 1, 1, 1, 1));
  }

  @Test
  void statusSaysTheAgeOnTheGivenDay() {
    String text =
        PlanPrintingTest.print(
            out ->
                new CoverageReport(
                        Samples.CATALOG,
                        Coverage.byCloud(Samples.CATALOG),
                        LocalDate.of(2026, 9, 1),
                        out)
                    .table(new Paint(false)));
    assertThat(text).contains("prices of 2026-08-22, 10 days old").contains("1 of 2");
  }

  @Test
  void sheetListsPlacesCheapestFirstAndSaysWhatIsUnknown() {
    String text =
        PlanPrintingTest.print(
            out ->
                new MachineSheet(out, new Paint(false))
                    .table(
                        List.of(
                            Samples.CATALOG.listings().get(1), Samples.CATALOG.listings().get(0)),
                        Samples.CATALOG));
    assertThat(text)
        .contains("fp16 dense    65 TFLOPS")
        .contains("GPU to host   unknown")
        .containsSubsequence("aws/us-east-1", "$0.1578", "70 %", "aws/eu-west-1/a", "-", "$0.60");
  }
}
