package io.deepvm.planner.parameterserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Setting;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.LossGoal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RiskAndRelaxationTest {

  private static final String[] NAMES = {
    "p3.2xlarge", "g4dn.4xlarge", "g3.8xlarge", "g3.16xlarge", "p2.8xlarge"
  };
  private static final String[] PRICES = {"0.918", "0.3612", "0.684", "1.5676", "2.16"};
  private static final int[] QUOTA = {2, 5, 5, 8, 5};

  private static ProvisionRequest request(double loss, double deadline) {
    List<WorkerOffer> offers = new ArrayList<>();
    for (int i = 0; i < NAMES.length; i++) {
      offers.add(new WorkerOffer(ResNet110.type(NAMES[i]), Money.parse(PRICES[i]), QUOTA[i], 0));
    }
    return new ProvisionRequest(
        ResNet110.model(ResNet110.LOSS),
        offers,
        List.of(),
        LossGoal.fromStart(loss),
        deadline,
        0,
        Billing.PAPER);
  }

  private static LossFit fit(double noise) {
    Random random = new Random(7);
    List<LossFit.Point> points = new ArrayList<>();
    int[] sizes = {2, 4, 7};
    double[] batches = {1024, 1243, 1410};
    for (int c = 0; c < sizes.length; c++) {
      for (int j = 0; j < 6000; j += 50) {
        double loss = ResNet110.LOSS.loss(batches[c], 0, sizes[c], j);
        points.add(
            new LossFit.Point(j, batches[c], 0, sizes[c], loss + noise * random.nextGaussian()));
      }
    }
    return LossFit.withoutCoefficient(points);
  }

  @Test
  void aPlanOnTheDeadlineIsAnEvenBetAndLaterDeadlinesAreSafer() {
    LossFit fit = fit(0.05);
    ProvisionRequest request = request(0.8, 2400);
    ProvisionRequest fitted =
        new ProvisionRequest(
            new io.deepvm.workload.parameterserver.ParameterServerModel(
                request.model().profile().withLoss(fit.curve()), request.model().servers()),
            request.offers(),
            List.of(),
            request.goal(),
            2400,
            0,
            Billing.PAPER);
    DeadlineRisk risk = new DeadlineRisk(fit, 1);
    Provision plan = Objects.requireNonNull(new ExactSearch().search(fitted).best());
    DeadlineRisk.Risk even = risk.of(fitted.withDeadline(plan.seconds()), plan);
    assertThat(even.probability()).isCloseTo(0.5, within(0.05));
    assertThat(even.beyond()).isGreaterThan(2);
    double before = 0;
    for (double deadline = 0.8; deadline < 1.3; deadline += 0.05) {
      double now = risk.of(fitted.withDeadline(deadline * plan.seconds()), plan).probability();
      assertThat(now).isGreaterThanOrEqualTo(before);
      before = now;
    }
    assertThat(before).isGreaterThan(0.9);
    double sure = risk.secondsAt(0.95, fitted, plan);
    assertThat(risk.of(fitted.withDeadline(sure), plan).probability()).isGreaterThanOrEqualTo(0.95);
  }

  @Test
  void planningForConfidenceCostsMoreAndMeetsIt() {
    LossFit fit = fit(0.05);
    ProvisionRequest request = request(0.8, 2400);
    DeadlineRisk risk = new DeadlineRisk(fit, 1);
    Provision bold = Objects.requireNonNull(new ExactSearch().search(request).best());
    Provision sure = Objects.requireNonNull(risk.plan(request, 0.95));
    assertThat(risk.of(request, sure).probability()).isGreaterThanOrEqualTo(0.95);
    assertThat(risk.of(request, bold).probability()).isLessThan(0.95);
    assertThat(sure.dollars()).isGreaterThan(bold.dollars());
    assertThat(new DeadlineRisk(fit, 1).plan(request, 0.95)).isEqualTo(sure);
    assertThat(risk.plan(request(0.8, 1600), 0.999)).isNull();
    assertThatThrownBy(() -> risk.plan(request, 95)).isInstanceOf(BadInput.class);
  }

  @Test
  void whatIsInfeasibleBecomesFeasibleAfterEachRelaxation() {
    ProvisionRequest request = request(0.8, 1500);
    assertThat(new ExactSearch().search(request).best()).isNull();
    Planning.Infeasible infeasible = Relaxation.explain(request);
    assertThat(infeasible.relax()).hasSize(3);
    double seconds = Objects.requireNonNull(Fastest.of(request)).seconds();
    assertThat(new ExactSearch().search(request.withDeadline(seconds)).best()).isNotNull();
    assertThat(new ExactSearch().search(request.withDeadline(seconds * 0.999)).best()).isNull();
    List<String> relax = infeasible.relax(Setting::name);
    String loss = relax.get(1);
    double easier = Double.parseDouble(loss.substring(loss.lastIndexOf(' ') + 1));
    assertThat(new ExactSearch().search(request.withGoal(LossGoal.fromStart(easier))).best())
        .isNotNull();
    String quota = relax.get(2);
    assertThat(quota).startsWith("raise the quota of p3.2xlarge from 2 to ");
    int more = Integer.parseInt(quota.substring(quota.lastIndexOf(' ') + 1));
    List<WorkerOffer> offers = new ArrayList<>(request.offers());
    offers.set(0, offers.get(0).withLimit(more));
    assertThat(new ExactSearch().search(request.withOffers(offers)).best()).isNotNull();
    offers.set(0, offers.get(0).withLimit(more - 1));
    assertThat(new ExactSearch().search(request.withOffers(offers)).best()).isNull();
  }

  @Test
  void aTargetBelowTheFloorAndADeadlineBeforeStartUpAreNamed() {
    assertThat(Relaxation.explain(request(0.45, 5000)).reason()).contains("0.45").contains("0.5");
    ProvisionRequest request = request(0.8, 100);
    assertThatThrownBy(() -> request.withBilling(new Billing(Money.ZERO, 120, true)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("120");
  }

  @Test
  void serversAndStartUpAreOnTheBill() {
    ProvisionRequest request = request(0.8, 2400);
    Provision paper = Objects.requireNonNull(new ExactSearch().search(request).best());
    Provision billed =
        Provision.of(
            request.withBilling(new Billing(Money.parse("0.192"), 120, true)),
            paper.added().stream().mapToInt(Integer::intValue).toArray());
    double hours = (paper.training().seconds() + 120) / 3600;
    assertThat(billed.dollars()).isCloseTo(hours * (2 * 0.918 + 4 * 0.684 + 0.192), within(1e-9));
    assertThat(billed.seconds()).isCloseTo(paper.seconds() + 120, within(1e-9));
  }
}
