package io.deepvm.market.survival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Place;
import io.deepvm.market.Dependence;
import io.deepvm.market.Markets;
import io.deepvm.market.Pool;
import io.deepvm.market.Trace;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelFitTest {

  private static final int LONG = 150_000;

  @ParameterizedTest
  @CsvSource({
    "EXPONENTIAL, 2, 1, WEIBULL, 1.5, 0.7",
    "WEIBULL, 2, 0.5, LOG_NORMAL, 1, 1.2",
    "LOG_LOGISTIC, 3, 1.6, EXPONENTIAL, 2, 1",
    "LOG_NORMAL, 1.5, 1.4, LOG_LOGISTIC, 1, 1.8",
  })
  void whatIsDrawnIsRecovered(
      Family up, double upScale, double upShape, Family down, double downScale, double downShape) {
    CapacityModel truth =
        new CapacityModel(
            like(1, 1),
            new LifetimeModel(up, upScale, upShape),
            new LifetimeModel(down, downScale, downShape),
            0.5,
            Dependence.INDEPENDENT);
    Trace drawn = truth.draw(7, LONG);
    assertNear(ModelFit.of(up, Lifetimes.up(drawn)).model(), truth.up());
    assertNear(ModelFit.of(down, Lifetimes.down(drawn)).model(), truth.down());
    // An exponential is a Weibull, too, which may fit it a hair better.
    if (up != Family.EXPONENTIAL) {
      assertThat(CapacityModel.of(drawn).up().family()).isEqualTo(up);
    }
    assertThat(ModelFit.all(Lifetimes.up(drawn)).get(0).distance()).isLessThan(0.01);
  }

  private static void assertNear(LifetimeModel found, LifetimeModel truth) {
    assertThat(found.scaleHours() / truth.scaleHours()).isCloseTo(1, within(0.04));
    assertThat(found.shape() / truth.shape()).isCloseTo(1, within(0.04));
  }

  @Test
  void nodesThatShareOneFateComeAndGoTogether() {
    LifetimeModel hours = new LifetimeModel(Family.WEIBULL, 3, 0.8);
    Trace gang = model(hours, Dependence.TOGETHER).draw(3, 20_000);
    assertThat(Arrays.stream(gang.available()).filter(count -> count > 0 && count < 16)).isEmpty();
    assertThat(CapacityModel.of(gang).dependence().share()).isCloseTo(1, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.3, 0.71})
  void theDependenceThatIsDrawnIsRecovered(double share) {
    LifetimeModel hours = new LifetimeModel(Family.WEIBULL, 3, 0.8);
    Trace drawn = model(hours, new Dependence(share)).draw(3, 60_000);
    assertThat(CapacityModel.of(drawn).dependence().share()).isCloseTo(share, within(0.05));
    assertThat(model(hours, new Dependence(share)).draw(3, 60_000).available())
        .isEqualTo(drawn.available());
  }

  @Test
  void aTraceOfOneNodeSaysNothingOfDependence() {
    CapacityModel model = CapacityModel.of(Markets.load("aws-v100-2023-02").traces().get(0));
    assertThat(model.dependence()).isEqualTo(Dependence.MEASURED);
  }

  private static CapacityModel model(LifetimeModel hours, Dependence dependence) {
    return new CapacityModel(like(16, 16), hours, hours, 0.5, dependence);
  }

  @Test
  void staysThatNeverEndCannotBeFitted() {
    assertThatThrownBy(() -> ModelFit.all(Lifetimes.up(like(2, 2, 2, 2))))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("None of 2 stays");
  }

  @Test
  void heavyTailsFitTheV100TracesBetterThanTheExponential() {
    for (Trace trace : Markets.load("aws-v100-2023-02").traces()) {
      List<ModelFit> fits = ModelFit.all(Lifetimes.up(trace));
      ModelFit exponential = ModelFit.of(Family.EXPONENTIAL, Lifetimes.up(trace));
      assertThat(fits.get(0).model().family()).isNotEqualTo(Family.EXPONENTIAL);
      assertThat(exponential.aic() - fits.get(0).aic()).isGreaterThan(50);
      assertThat(fits.get(0).distance()).isLessThan(exponential.distance());
    }
  }

  @Test
  void aGangSurvivesWhereAllWindowsDo() {
    Trace trace = like(4, 4, 4, 2, 4, 4, 4, -1, 4, 4);
    // An hour is one tick. Windows of one tick: 0-1 holds, 1-2 not, 3-4 and 4-5 hold, 7-8 holds.
    assertThat(GangSurvival.of(trace, 4, 1)).isEqualTo(new GangSurvival(4, 1, 5, 0.8));
    assertThat(GangSurvival.of(trace, 2, 1).share()).isEqualTo(1);
    assertThat(GangSurvival.of(trace, 4, 2)).isEqualTo(new GangSurvival(4, 2, 3, 1 / 3.0));
    assertThat(GangSurvival.of(trace, 4, 1000).share()).isNaN();
    assertThatThrownBy(() -> GangSurvival.of(trace, 5, 1)).isInstanceOf(BadInput.class);
  }

  @Test
  void modelsAnswerForAgeToo() {
    LifetimeModel ageing = new LifetimeModel(Family.WEIBULL, 2, 0.5);
    assertThat(ageing.survivalFrom(5, 1)).isGreaterThan(ageing.survivalFrom(0, 1));
    LifetimeModel ageless = new LifetimeModel(Family.EXPONENTIAL, 2, 1);
    assertThat(ageless.survivalFrom(5, 1)).isCloseTo(ageless.survival(1), within(1e-12));
    assertThat(ageless.medianHours()).isCloseTo(2 * Math.log(2), within(1e-12));
    assertThat(ageing.meanHours()).isCloseTo(4, within(1e-9));
    assertThat(new LifetimeModel(Family.LOG_LOGISTIC, 1, 1).meanHours()).isInfinite();
    assertThat(new LifetimeModel(Family.LOG_NORMAL, 1, 1).medianHours()).isCloseTo(1, within(1e-9));
  }

  private static Trace like(int asked, int... counts) {
    return new Trace(
        new Pool(new Place("aws", "us-east-1", null), "p3.2xlarge"),
        null,
        Duration.ofHours(1),
        counts,
        asked,
        new double[0],
        null);
  }
}
