package io.deepvm.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BudgetSweepTest {

  @Test
  void everyPolicyIsAskedAtEveryBudgetBothEndsIncluded() {
    Asked asked = new Asked(new ArrayList<>());
    BudgetSweep sweep = sweep("0", "10", "0.1", asked);
    assertThat(asked.budgets()).hasSize(101).startsWith(Money.ZERO).endsWith(Money.parse("10"));
    assertThat(asked.budgets().get(3)).isEqualTo(Money.parse("0.3"));
    assertThat(sweep.rows()).hasSize(101).allMatch(row -> row.choice() == null);
  }

  @Test
  void aStepThatDoesNotMeetTheEndStopsBeforeIt() {
    Asked asked = new Asked(new ArrayList<>());
    sweep("1", "2", "0.4", asked);
    assertThat(asked.budgets())
        .containsExactly(Money.parse("1"), Money.parse("1.4"), Money.parse("1.8"));
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 0.1", "-1, 1, 0.1", "0, 1, 0", "0, 1, -1", "0, 1000, 0.000001"})
  void anImpossibleRangeIsRefused(String from, String to, String step) {
    assertThatThrownBy(() -> sweep(from, to, step, new Asked(new ArrayList<>())))
        .isInstanceOf(BadInput.class);
  }

  private static BudgetSweep sweep(String from, String to, String step, BudgetPolicy policy) {
    return BudgetSweep.over(
        Money.parse(from), Money.parse(to), Money.parse(step), List.of(policy), Job.UNSTATED);
  }

  /** Finds nothing, and remembers what it was asked. */
  private record Asked(List<Money> budgets) implements BudgetPolicy {

    @Override
    public String name() {
      return "asked";
    }

    @Override
    public @Nullable Plan choose(Money budgetPerHour) {
      budgets.add(budgetPerHour);
      return null;
    }
  }
}
