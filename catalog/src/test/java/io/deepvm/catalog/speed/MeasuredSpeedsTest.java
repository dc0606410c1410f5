package io.deepvm.catalog.speed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.Shared;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MeasuredSpeedsTest {

  @TempDir Path folder;

  private List<MeasuredSpeed> read(String text) throws IOException {
    return MeasuredSpeeds.read(Files.writeString(folder.resolve("mine.csv"), text));
  }

  @Test
  void threeColumnsAreEnough() throws IOException {
    MeasuredSpeed row = read("model,gpu,samples_per_s\nMy Net,a100-80gb,123.5\n").get(0);
    assertThat(row.gpu().name()).isEqualTo("A100-80GB");
    assertThat(row.gpus()).isEqualTo(1);
    assertThat(row.precision()).isEqualTo(Precision.FP16);
    assertThat(row.batch()).isNull();
    assertThat(row.source().name()).isEqualTo("mine");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          model,gpu,samples_per_s|net,T5,1|T4
          model,gpu,samples_per_s|net,T4,0|drop the row
          model,gpu,samples_per_s|net,T4,fast|not a number
          model,gpu,samples_per_s,batch|net,T4,1,0.5|whole number
          model,gpu,samples_per_s,precision|net,T4,1,fp12|no precision
          model,gpu,samples_per_s,bach|net,T4,1,2|batch
          model,gpu|net,T4|samples_per_s
          """)
  void aBadRowIsRefusedByNameWithAWayOut(String header, String row, String hint) {
    assertThatThrownBy(() -> read(header + "\n" + row + "\n"))
        .isInstanceOfSatisfying(
            BadInput.class, e -> assertThat(e.getMessage() + e.wayOut()).contains(hint));
  }

  @Test
  void everyFigureThatWasDerivedFromMlperfIsMarkedAndNoOther() {
    for (MeasuredSpeed row : MeasuredSpeeds.builtIn()) {
      assertThat(row.source().unverified()).isEqualTo(row.source().name().startsWith("mlperf"));
      assertThat(row.source().date()).matches("20\\d\\d(-\\d\\d)?");
    }
  }

  @Test
  void noBuiltInRowComesFromASourceWithoutALicence() {
    assertThat(MeasuredSpeeds.builtIn())
        .hasSizeGreaterThan(3000)
        .noneMatch(row -> row.source().name().equals("sia"));
  }

  @Test
  void theBuiltInSpeedsAreWhatTheRulesLeaveOfThePublishedOnes() throws IOException {
    Path published = Shared.path("data/throughput");
    assertThat(MeasuredSpeeds.builtIn()).isEqualTo(new PublishedSpeeds().read(published));
  }

  @Test
  void nothingThatTheRulesForbidIsLeft() {
    List<MeasuredSpeed> rows = MeasuredSpeeds.builtIn();
    SpeedCleaning again =
        new SpeedCleaning(
            (source, rule) -> {
              throw new AssertionError(source + ": " + rule);
            });
    assertThat(again.clean(rows)).isEqualTo(rows);
  }
}
