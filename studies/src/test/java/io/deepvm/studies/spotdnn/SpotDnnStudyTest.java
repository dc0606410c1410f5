package io.deepvm.studies.spotdnn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.planner.parameterserver.Provision;
import io.deepvm.planner.parameterserver.SlidingWindow;
import io.deepvm.studies.StudyRow;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SpotDnnStudyTest {

  private static final List<StudyRow> ROWS = SpotDnnStudy.rows();

  private static List<StudyRow> rows(String start, String end) {
    List<StudyRow> found =
        ROWS.stream()
            .filter(row -> row.name().startsWith(start) && row.name().endsWith(end))
            .filter(row -> row.ours() != null)
            .toList();
    assertThat(found).as(start + "..." + end).isNotEmpty();
    return found;
  }

  private static void close(String start, String end, double tolerance) {
    for (StudyRow row : rows(start, end)) {
      double published = Objects.requireNonNull(row.published());
      assertThat(Objects.requireNonNull(row.ours()))
          .as(row.name())
          .isCloseTo(published, within(tolerance * published));
    }
  }

  @Test
  void everyPlanOfTablesOneAndFiveIsFoundButTheMisprint() {
    List<StudyRow> wrong =
        ROWS.stream()
            .filter(row -> row.name().contains(" workers: ") && row.ours() != null)
            .filter(row -> !Objects.equals(row.ours(), row.published()))
            .toList();
    assertThat(wrong)
        .extracting(StudyRow::name)
        .containsExactly(
            "Table V ResNet-110 (0.7; 3700 s) On-demand workers: g4dn.4xlarge",
            "Table V ResNet-110 (0.7; 3700 s) spotDNN workers: g4dn.4xlarge");
    assertThat(wrong).allMatch(row -> row.note().contains("misprint"));
    assertThat(rows("Table V ResNet-110", "")).hasSize(45);
    assertThat(rows("Table I", "xlarge")).hasSize(15);
  }

  @Test
  void timesAndCostsAreThePublishedOnes() {
    close("Table I spotDNN", "seconds", 1e-5);
    close("Table I Srifty+", "seconds", 1e-5);
    close("Table I", "dollars", 5e-3);
    close("Fig. 7 ResNet-110", "spotDNN seconds", 1e-4);
    close("Fig. 7 ResNet-110", "Srifty+ seconds", 1e-4);
    close("Fig. 7 ResNet-110", "CM-DARE+ seconds", 0.035);
    close("Fig. 6 ResNet-110", "predicted", 3e-4);
    close("Fig. 6 EsperBERTo", "predicted", 1e-3);
    close("Fig. 9 samples/s", "", 0.002);
    close("Fig. 9 takeover", "", 0);
    close("Fig. 2(b) VGG-19", "samples/s", 0.025);
    close("Fig. 5 ResNet-110", "predicted", 0.01);
    close("Fig. 5 VGG-19", "predicted", 0.03);
    close("Fig. 8", "dollars", 0.06);
    close("Table VI", "Homo-fast convergence coefficient", 0.01);
    close("Table VI VGG-19", "spotDNN convergence coefficient", 0.02);
  }

  @Test
  void everyComputedFigureIsAPublishedOne() {
    assertThat(new SpotDnnFigures().all().keySet())
        .isSubsetOf(ROWS.stream().map(StudyRow::name).toList());
  }

  @Test
  void thePapersPlanForItsHeadlineGoalIsFound() {
    Provision plan =
        Objects.requireNonNull(new SlidingWindow().search(SpotDnnPaper.request(0.8, 2400)).best());
    assertThat(plan.added()).containsExactly(2, 0, 4, 0, 0);
    assertThat(plan.dollars()).isCloseTo(2.97, within(0.005));
  }
}
