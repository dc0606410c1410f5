package io.deepvm.planner.parameterserver;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.planner.Goal;
import io.deepvm.workload.Job;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.ClusterSpeed;
import java.util.ArrayList;
import java.util.List;

/** Says why a cluster with parameter servers was chosen. */
final class ServerReasons {

  private ServerReasons() {}

  /** What trains on, and whether it needs help. */
  private static String runningOn(ParameterServerPlan plan) {
    List<String> workers = new ArrayList<>();
    for (int i = 0; i < plan.workers().size(); i++) {
      int running = plan.request().offers().get(i).running();
      if (running > 0) {
        workers.add("%d x %s".formatted(running, plan.workers().get(i).machine().name()));
      }
    }
    return "Running on: %s, over %d x %s as parameter server%s; price and cost include them.%s"
        .formatted(
            String.join(" + ", workers),
            plan.servers().count(),
            plan.servers().offer().machine().name(),
            plan.servers().count() == 1 ? "" : "s",
            alone(plan));
  }

  private static String alone(ParameterServerPlan plan) {
    if (ParameterServerFamily.nodes(plan).isEmpty()) {
      return " Nothing needs to be rented.";
    }
    Provision alone = Provision.of(plan.request(), new int[plan.workers().size()]);
    return alone.seconds() > plan.request().deadlineSeconds()
            || alone.dollars() <= plan.provision().dollars()
        ? ""
        : " Nothing needs to be rented: alone they are done after %s for %s; with help it is cheaper."
            .formatted(Durations.print(Durations.ofSeconds(alone.seconds())), alone.cost());
  }

  /** Says what the plan does, what holds it back, how near the deadline is and how sure. */
  static List<String> why(
      ParameterServerPlan found, Job job, Goal goal, ProvisionSearch search, boolean first) {
    Provision provision = found.provision();
    ClusterSpeed speed = provision.training().speed();
    List<String> why = new ArrayList<>();
    boolean runs = found.request().running() > 0;
    if (runs) {
      why.add(runningOn(found));
    }
    why.add(
        "Work: %s iterations of %s samples on average to a loss of %s, at %s samples/s."
            .formatted(
                Numbers.print(provision.training().iterations()),
                Numbers.print(speed.batch()),
                Numbers.print(found.request().goal().target()),
                Numbers.print(speed.samplesPerSecond())));
    why.add(
        "Bottleneck: %s takes %s of the workers' time."
            .formatted(speed.bottleneck(), Numbers.percent(speed.share(speed.bottleneck()))));
    if (goal.deadline() != null) {
      why.add(
          "Deadline: done after %s of %s, %s included."
              .formatted(
                  Durations.print(Durations.ofSeconds(provision.seconds())),
                  Durations.print(goal.deadline()),
                  runs
                      ? "the %s s lost to a revocation"
                          .formatted(Numbers.print(found.request().overheadSeconds()))
                      : "start-up"));
    }
    if (first && search instanceof ExactSearch && goal.confidence() == null) {
      why.add(besideTheWindow(found));
    }
    LossFit fit = ParameterServerFamily.training(job).lossFit();
    if (fit != null && goal.deadline() != null) {
      DeadlineRisk.Risk chances = ParameterServerFamily.risk(job).of(found.request(), provision);
      why.add(
          "Risk: meets the deadline with a probability of %s, by the uncertainty of its loss curve%s."
              .formatted(
                  Numbers.percent(chances.probability()),
                  chances.beyond() > 1
                      ? ", which is extrapolated to %s times what was measured"
                          .formatted(Numbers.print(chances.beyond()))
                      : ""));
    }
    return why;
  }

  /** What the exact search saves beside the paper's sliding window, here. */
  private static String besideTheWindow(ParameterServerPlan found) {
    Provision window = new SlidingWindow().search(found.request()).best();
    double exact = found.provision().dollars();
    if (window == null) {
      return "Search: exact; spotDNN's sliding window finds no cluster at all here.";
    }
    double saved = 1 - exact / window.dollars();
    return saved <= 1e-9
        ? "Search: exact; spotDNN's sliding window happens to find the same here."
        : "Search: exact; spotDNN's sliding window would cost %s, %s more."
            .formatted(window.cost(), Numbers.percent(window.dollars() / exact - 1));
  }
}
