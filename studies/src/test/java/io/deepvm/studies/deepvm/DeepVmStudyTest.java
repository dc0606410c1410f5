package io.deepvm.studies.deepvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.studies.StudyRow;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeepVmStudyTest {

  private static List<StudyRow> rows = List.of();

  @BeforeAll
  static void study() {
    rows = new DeepVmStudy(PaperCatalogs.paper(), PaperCatalogs.simulation()).rows();
  }

  @Test
  void everyAnswerOfTheArtifactIsReproduced() {
    assertThat(rows)
        .filteredOn(row -> row.name().startsWith("plan at") && !row.name().contains("our planner"))
        .hasSize(103)
        .allSatisfy(
            row -> {
              assertThat(row.relativeDifference()).isCloseTo(0.0, within(1e-6));
              assertThat(row.note()).doesNotContain("published");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "$1.00,  0,      0.9554, tiering 5 x g4dn.xlarge + 1 x t3.xlarge",
    "$3.00,  0,      2.8526, tiering 17 x g4dn.xlarge + 1 x c5.xlarge",
    "$4.00,  0,      3.8214, tiering 23 x g4dn.xlarge + 1 x m6i.xlarge",
    "$8.00,  0.0233, 5.5756, single-anchor 33 x g4dn.xlarge",
    "$10.00, 0.0268, 9.9976, tiering 32 x g5.xlarge + 2 x c5.xlarge",
    "$20.00, 0.0526, 10.6636, single-anchor 33 x g5.xlarge",
  })
  void ourPlannersGainOverTheArtifactIsShown(
      String budget, double gain, double usdPerHour, String cluster) {
    StudyRow z = row("plan at %s, our planner: Z".formatted(budget));
    assertThat(z.relativeDifference()).isCloseTo(gain, within(1e-4));
    assertThat(z.note()).startsWith(cluster + ";");
    assertThat(row("plan at %s, our planner: USD/h".formatted(budget)).ours())
        .isEqualTo(usdPerHour);
  }

  @Test
  void theCurvesOfFigure7AreReproduced() {
    assertThat(rows)
        .filteredOn(row -> row.name().startsWith("Fig. 7"))
        .hasSize(64)
        .allSatisfy(row -> assertThat(row.relativeDifference()).isCloseTo(0.0, within(1e-5)));
    assertThat(row("Fig. 7 at $10.00, performance-first: flops n K").note())
        .contains("18 x I", "beats DeepVM");
  }

  @Test
  void theSpeedUpPredictsFigure8AndTheirFactorDoesNot() {
    assertThat(row("Fig. 8, performance-first: time by speed-up"))
        .satisfies(row -> assertThat(row.published()).isCloseTo(1.966, within(1e-3)))
        .satisfies(row -> assertThat(row.ours()).isCloseTo(1.934, within(1e-3)));
    assertThat(row("Fig. 8, cost-first: time by speed-up and stalls").ours())
        .isCloseTo(296.7717757 / 251.2481, within(2e-3));
    assertThat(row("Fig. 8, performance-first: time by speed-up and stalls").ours())
        .isCloseTo(493.9301716 / 251.2481, within(0.12));
    assertThat(row("Fig. 8, performance-first: time by n K").ours()).isCloseTo(1.308, within(1e-3));
    assertThat(row("Fig. 8, user config 4: time by n K").ours()).isCloseTo(5.795, within(1e-3));
    assertThat(row("Fig. 8, DeepVM 1 against cost-first: money saved").published())
        .isCloseTo(0.165, within(5e-4));
    assertThat(row("Fig. 8, DeepVM 1 against performance-first: money saved").published())
        .isCloseTo(0.485, within(5e-4));
    assertThat(row("Fig. 8, DeepVM 1 against performance-first: time saved").published())
        .isCloseTo(0.491, within(1e-3));
    assertThat(row("Fig. 8, DeepVM 1 against performance-first: money saved").ours())
        .isCloseTo(0.485, within(0.03));
    assertThat(row("Fig. 8, cost-first: cost by speed-up").published())
        .as("the headline: 16.5 % cheaper than cost-first")
        .isCloseTo(1 / (1 - 0.165), within(1e-3));
  }

  @Test
  void theCurvesAreAsFarFromFigure5AsPublished() {
    assertThat(rows).filteredOn(row -> row.name().startsWith("Fig. 5")).hasSize(30);
    assertThat(row("Fig. 5, 16 x g4dn.xlarge: speed-up").relativeDifference())
        .isCloseTo(-0.005, within(1e-3));
    assertThat(row("Fig. 5, 24 x g5.xlarge: speed-up").relativeDifference())
        .isCloseTo(0.295, within(1e-3));
    assertThat(row("Fig. 5, 1 x g5.xlarge: speed-up").relativeDifference()).isZero();
  }

  @Test
  void theAnchorsOfFigure6FollowFromSaturation() {
    assertThat(row("Fig. 6, anchors chosen").relativeDifference()).isZero();
    assertThat(row("Fig. 6, 1 anchors: sending time against 3").published())
        .isCloseTo(9.765, within(1e-3));
  }

  @Test
  void theSlipOfCostFirstIsNamed() {
    assertThat(row("plan at $8.00, cost-first: USD/h").note())
        .contains("32 x g4dn.xlarge", "$5.4178");
  }

  private static StudyRow row(String name) {
    return rows.stream().filter(row -> row.name().equals(name)).findFirst().orElseThrow();
  }
}
