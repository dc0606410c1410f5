package io.deepvm.planner.parameterserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Setting;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.GpuProfile;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.WorkerGroup;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ParameterServerPlannerTest {

  private static final Place EAST = new Place("aws", "us-east-1", "use1-az1");
  private static final Place WEST = new Place("aws", "us-west-2", "usw2-az1");

  private static final ParameterServerProfile PROFILE =
      new ParameterServerProfile(
          ResNet110.profile(ResNet110.LOSS).parameters(),
          Bandwidth.ofMbps(1136),
          Bandwidth.ofMbps(80_000),
          Contention.of(0.8, -1.92),
          ResNet110.LOSS,
          Map.of(
              "V100", new GpuProfile(1024, 0.379, null, null),
              "T4", new GpuProfile(1024, 1.2, null, null)));

  private static Listing gpu(String name, String gpu, double vcpus, String spot, Place place) {
    Machine machine =
        new Machine(
            "aws",
            name,
            name.substring(0, 1),
            vcpus,
            null,
            new Gpus(Gpu.unknown(gpu, null), 1),
            null,
            null,
            null,
            null);
    return new Listing(machine, place, Money.parse(spot), Money.parse(spot).times(3));
  }

  private static Listing server(String name, double gbps, String price, Place place) {
    Machine machine =
        new Machine(
            "aws", name, "standard", 4, null, null, Bandwidth.ofGbps(gbps), null, null, null);
    return new Listing(machine, place, null, Money.parse(price));
  }

  private static Catalog catalog(List<Quota> quotas) {
    return new Catalog(
        "test",
        null,
        "made up",
        List.of(
            gpu("p3.2xlarge", "V100", 8, "0.918", EAST),
            gpu("g4dn.xlarge", "T4", 4, "0.16", EAST),
            gpu("g5.xlarge", "A10G", 4, "0.3", EAST),
            gpu("p3.2xlarge", "V100", 8, "0.8", WEST),
            server("m5.xlarge", 1.25, "0.192", EAST),
            server("m5n.xlarge", 10, "0.238", EAST)),
        quotas);
  }

  private static ParameterServerGoal goal(double deadline, @Nullable String server, int most) {
    return goal(deadline, Goal.NO_CEILING, server, most);
  }

  private static ParameterServerGoal goal(
      double deadline, Money ceiling, @Nullable String server, int most) {
    return new ParameterServerGoal(
        LossGoal.fromStart(0.8),
        deadline,
        ceiling,
        0,
        120,
        Set.of(Market.SPOT),
        List.of(),
        server,
        most,
        true,
        Map.of());
  }

  private static int count(ParameterServerPlan plan, String type) {
    return plan.provision().cluster().stream()
        .filter(group -> group.type().name().equals(type))
        .mapToInt(WorkerGroup::count)
        .sum();
  }

  @Test
  void workersAndServersStandInOnePlaceAndTheBillHoldsBoth() {
    ParameterServerPlanning planning =
        new ParameterServerPlanner(catalog(List.of()), PROFILE)
            .plan(goal(2400, null, 2), new ExactSearch());
    assertThat(planning.plans()).hasSize(1);
    ParameterServerPlan plan = planning.plans().get(0);
    assertThat(plan.place()).isEqualTo(EAST);
    assertThat(plan.gap()).isZero();
    assertThat(plan.provision().seconds()).isLessThanOrEqualTo(2400);
    double perHour =
        plan.servers().pricePerHour().dollars()
            + count(plan, "p3.2xlarge") * 0.918
            + count(plan, "g4dn.xlarge") * 0.16;
    double expected = plan.provision().seconds() / 3600 * perHour;
    assertThat(plan.provision().dollars())
        .isCloseTo(expected, org.assertj.core.api.Assertions.within(1e-9));
    assertThat(planning.leftOut())
        .containsEntry("GPU machines that the profile does not measure", 1);
  }

  @Test
  void quotasOfVcpusAreSharedByTheFamiliesThatDrawOnThem() {
    Quota quota =
        new Quota(PlaceFilter.ANYWHERE, Set.of("p", "g"), Market.SPOT, Quota.Unit.VCPUS, 24);
    ParameterServerPlan plan =
        new ParameterServerPlanner(catalog(List.of(quota)), PROFILE)
            .plan(goal(3000, "m5n.xlarge", 1), new ExactSearch())
            .plans()
            .get(0);
    assertThat(8 * count(plan, "p3.2xlarge") + 4 * count(plan, "g4dn.xlarge"))
        .isLessThanOrEqualTo(24);
    assertThat(plan.servers().offer().machine().name()).isEqualTo("m5n.xlarge");
  }

  @Test
  void underACeilingPerHourASlowerClusterIsTaken() {
    ParameterServerPlanner planner = new ParameterServerPlanner(catalog(List.of()), PROFILE);
    ParameterServerPlan free = planner.plan(goal(4800, null, 2), new ExactSearch()).plans().get(0);
    Money less = free.provision().pricePerHour().minus(new Money(1));
    ParameterServerPlan within =
        planner.plan(goal(4800, less, null, 2), new ExactSearch()).plans().get(0);
    assertThat(within.provision().pricePerHour()).isLessThanOrEqualTo(less);
    assertThat(within.provision().seconds()).isLessThanOrEqualTo(4800);
    assertThat(within.provision().dollars()).isGreaterThan(free.provision().dollars());
  }

  @Test
  void aCeilingThatIsTooLowNamesTheSmallestThatWorks() {
    ParameterServerPlanner planner = new ParameterServerPlanner(catalog(List.of()), PROFILE);
    Planning.Infeasible infeasible =
        Objects.requireNonNull(
            planner.plan(goal(2400, Money.parse("0.5"), null, 2), new ExactSearch()).infeasible());
    Money enough = Objects.requireNonNull(infeasible.smallestBudget());
    assertThat(infeasible.reason()).contains("$0.50/h", enough + "/h");
    assertThat(infeasible.relax(Setting::name))
        .contains("raise MAX_PRICE_PER_HOUR from $0.50 to " + enough)
        .anyMatch(text -> text.startsWith("raise DEADLINE from 40 min"));
    assertThat(planner.plan(goal(2400, enough, null, 2), new ExactSearch()).plans()).isNotEmpty();
    Money less = enough.minus(new Money(1));
    assertThat(planner.plan(goal(2400, less, null, 2), new ExactSearch()).plans()).isEmpty();
  }

  @Test
  void whatCannotBeMetSaysWhatToRelax() {
    ParameterServerPlanning planning =
        new ParameterServerPlanner(catalog(List.of()), PROFILE)
            .plan(goal(300, null, 1), new ExactSearch());
    assertThat(planning.plans()).isEmpty();
    assertThat(planning.infeasible()).isNotNull();
    assertThatThrownBy(
            () ->
                new ParameterServerPlanner(catalog(List.of()), PROFILE)
                    .plan(goal(2400, "m5.xlarg", 1), new ExactSearch()))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("m5.xlarg");
  }
}
