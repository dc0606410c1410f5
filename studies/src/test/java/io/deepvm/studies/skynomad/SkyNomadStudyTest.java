package io.deepvm.studies.skynomad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.studies.StudyRow;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SkyNomadStudyTest {

  private static final Set<String> SCENARIOS = Set.of("Progressive_3", "Progressive_4");

  /** Enough of the sweeps to see every policy, the tie-breaks and the beaten optimum. */
  private static final List<Point> SOME =
      Points.packed().stream()
          .filter(
              p ->
                  p.sweep().equals("v100")
                      || SCENARIOS.contains(p.scenario())
                      || (p.sweep().equals("deadline_sensitivity") && p.ratio() <= 1.1))
          .toList();

  private static final List<StudyRow> ROWS = new SkyNomadStudy(Traces.packed(), SOME).rows();

  @Test
  void everyRowComesOutAsPublished() {
    for (StudyRow row : ROWS) {
      double published = Objects.requireNonNull(row.published());
      double tolerance = row.name().contains("v100") ? 1e-5 : 1e-9;
      double absolute = row.name().startsWith("Table A.7") ? 0.0051 : tolerance * published;
      assertThat(Objects.requireNonNull(row.ours()))
          .as(row.name())
          .isCloseTo(published, within(absolute));
    }
    assertThat(ROWS).filteredOn(row -> row.name().startsWith("Table A.7")).hasSize(28);
    assertThat(ROWS).filteredOn(row -> row.name().startsWith("mean $")).hasSize(42);
  }

  @Test
  void twoRunsAreMarkedThatBeatTheOriginalsOptimum() {
    assertThat(ROWS)
        .filteredOn(row -> row.note().startsWith("less than what the original calls optimal"))
        .extracting(StudyRow::name)
        .containsExactly(
            "$ region_scaling, Progressive_3, ratio 1.2, 50 GB: UP(S), window 5",
            "$ region_scaling, Progressive_4, ratio 1.2, 50 GB: SkyNomad, window 3");
  }

  @Test
  void noRunIsCheaperThanTheBound() {
    List<Point> scaling = SOME.stream().filter(p -> SCENARIOS.contains(p.scenario())).toList();
    for (Evaluation.Result result : new Evaluation(Traces.packed()).of(scaling)) {
      if (result.corrected() != null && result.bound() != null) {
        assertThat(result.corrected())
            .as(result.point().name())
            .isGreaterThanOrEqualTo(result.bound() * (1 - 1e-12));
      }
    }
  }

  @Test
  void thePackedRunsAreTheOriginalsTables() {
    List<Point> original = Points.of(Vectors.data());
    assertThat(Points.packed()).containsExactlyInAnyOrderElementsOf(original);
  }

  @Test
  void theMeansAreThoseOfTheFigures() {
    List<Point> points = Points.packed();
    for (JsonNode mean : Vectors.read().get("figure_means")) {
      String policy = mean.get("policy").asText();
      String sweep = mean.get("config").asText();
      double ours =
          points.stream()
              .filter(p -> p.sweep().equals(sweep))
              .filter(
                  p ->
                      p.policy().equals(policy)
                          || (sweep.equals("v100") && p.policy().startsWith(policy + "[")))
              .filter(
                  p ->
                      mean.has("num_regions")
                          ? p.scenario().equals("Progressive_" + mean.get("num_regions").asText())
                          : p.ratio() == mean.get("deadline_ratio").asDouble())
              .mapToDouble(Point::published)
              .average()
              .orElseThrow();
      double published = mean.get("mean_published_cost").asDouble();
      assertThat(ours).as(mean.toString()).isCloseTo(published, within(1e-12 * published));
    }
  }
}
