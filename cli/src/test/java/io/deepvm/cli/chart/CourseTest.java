package io.deepvm.cli.chart;

import static io.deepvm.cli.chart.Runs.NO_DEADLINE;
import static io.deepvm.cli.chart.Runs.market;
import static io.deepvm.cli.chart.Runs.run;
import static io.deepvm.cli.chart.Runs.scenario;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.policy.SpotOnly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CourseTest {

  @ParameterizedTest
  @EnumSource(Recovery.class)
  void lostTrainingAddsUpToWhatTheSimulationBooked(Recovery recovery) {
    // Now and then all nodes go at once, so that survivors lose work, too.
    var run =
        run(
            market(t -> t % 40 == 39 ? 0 : t % 7 < 4 ? 3 : 2, t -> t % 40 == 39 ? 0 : 1),
            scenario(4, 30, NO_DEADLINE, recovery),
            new SpotOnly());
    Course course = Course.of(run.timeline(), run.scenario());
    assertThat(seconds(run, course, Activity.REDONE))
        .isPositive()
        .isCloseTo(run.outcome().nodeSeconds().get(Activity.REDONE), within(1.0));
    assertThat(seconds(run, course, Activity.USEFUL))
        .isCloseTo(run.outcome().nodeSeconds().get(Activity.USEFUL), within(1.0));
  }

  private static double seconds(Runs.Run run, Course course, Activity activity) {
    return run.timeline().lives().stream()
        .flatMap(life -> life.phases().stream())
        .flatMap(phase -> course.split(phase).stream())
        .filter(phase -> phase.activity() == activity)
        .mapToDouble(phase -> phase.to() - phase.from())
        .sum();
  }
}
