package io.deepvm.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.ElasticBound;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Simulation;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.simulator.policy.CostFirst;
import io.deepvm.simulator.policy.Elastic;
import io.deepvm.simulator.policy.OnDemandOnly;
import io.deepvm.simulator.policy.PerformanceFirst;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.simulator.policy.SpotOnly;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What policies cost on recorded markets, as one table a sweep.
 *
 * <p>First SkyNomad's published sweeps, as jobs of one node whose every tick is paid whole: how far
 * each published policy and {@code elastic} are above the published optimum, in the windows of the
 * earlier half, on which the policy's numbers were chosen, and of the later half. Then clusters of
 * 16 nodes on recorded counts: the mean cost of the jobs that were done before the record ended,
 * the jobs that missed the deadline or were not done, and how far above the elastic bound.
 *
 * <p>Run {@code PolicyStudy [FOLDER]}; the folder of reference material is {@code ../shared} unless
 * named.
 */
public final class PolicyStudy {

  private static final int WORKERS = 16;

  /** Windows before this one are the earlier half. */
  private static final int LATER_WINDOWS = 3;

  private final RecordedTraces traces;

  /** Policies that see 16 nodes as one: all of them in one zone, or none. */
  private static final List<String> GANGS =
      List.of("greedy", "UP(S)", "UP(AP)", "SkyNomad", "SkyNomad(o)", "clairvoyant");

  private final PrintStream out;

  private PolicyStudy(Path folder, PrintStream out) {
    this.traces = new RecordedTraces(folder);
    this.out = out;
  }

  /** Prints the tables. */
  public static void main(String[] args) {
    Path folder = Path.of(args.length > 0 ? args[0] : "../shared");
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    if (!Files.isDirectory(folder)) {
      out.println("There is no folder " + folder + ". Maybe name the reference material's folder.");
      System.exit(2);
    }
    PolicyStudy study = new PolicyStudy(folder, out);
    study.published();
    study.counts("16 x H100, 13 zones", study.traces.h100Counts());
    study.counts("16 x H100, US", study.h100("us-"));
    study.counts("16 x H100, Europe", study.h100("europe-"));
    study.counts("16 x H100, Asia", study.h100("asia-"));
    study.counts("16 x V100, 2 zones", study.traces.v100Counts());
  }

  private List<Trace> h100(String prefix) {
    return traces.h100Counts().stream()
        .filter(t -> t.pool().place().region().startsWith(prefix))
        .toList();
  }

  // --- SkyNomad's sweeps ---

  /** Gaps of the earlier and the later windows, and deadlines missed. */
  private static final class Gaps {

    private final double[] sum = new double[2];
    private final int[] count = new int[2];
    private int missed;

    void add(boolean later, double gap) {
      int half = later ? 1 : 0;
      sum[half] += gap;
      count[half]++;
    }

    String row(String name) {
      return String.format(
          Locale.ROOT,
          "| %s | %.2f %% | %.2f %% | %.2f %% | %d |",
          name,
          100 * sum[0] / count[0],
          100 * sum[1] / count[1],
          100 * (sum[0] + sum[1]) / (count[0] + count[1]),
          missed);
    }
  }

  private void published() {
    JsonNode vectors = traces.json("vectors/skynomad.json");
    Map<String, JsonNode> optimal = new TreeMap<>();
    for (JsonNode row : vectors.get("published")) {
      if (row.get("policy").asText().equals("Optimal")
          && !row.path("infeasible_fallback").asBoolean()) {
        optimal.put(key(row), row);
      }
    }
    Map<String, Map<String, Gaps>> tables = new TreeMap<>();
    for (JsonNode row : vectors.get("published")) {
      JsonNode best = optimal.get(key(row));
      String policy = row.get("policy").asText();
      if (best != null && !policy.equals("Optimal") && row.hasNonNull("full_cost")) {
        gaps(tables, row, policy)
            .add(
                isLater(row),
                row.get("full_cost").asDouble() / best.get("full_cost").asDouble() - 1);
      }
    }
    for (JsonNode row : optimal.values()) {
      Outcome outcome = onePublished(vectors, row);
      Gaps gaps = gaps(tables, row, "elastic");
      gaps.add(isLater(row), outcome.cost().dollars() / row.get("full_cost").asDouble() - 1);
      gaps.missed += outcome.metDeadline() ? 0 : 1;
    }
    tables.forEach(
        (sweep, rows) -> {
          out.printf("%n## %s: mean gap to the optimum%n%n", sweep);
          out.println("| policy | earlier half | later half | all | missed |");
          out.println("|---|---|---|---|---|");
          rows.forEach((name, gaps) -> out.println(gaps.row(name)));
        });
  }

  private static String key(JsonNode row) {
    return String.join(
        " ",
        row.get("config").asText(),
        row.path("scenario").asText(),
        row.path("window").asText(),
        row.path("ratio").asText(),
        row.path("checkpoint_gb").asText());
  }

  private static boolean isLater(JsonNode row) {
    return row.get("window").asInt() >= LATER_WINDOWS;
  }

  private static Gaps gaps(Map<String, Map<String, Gaps>> tables, JsonNode row, String policy) {
    return tables
        .computeIfAbsent(row.get("config").asText(), sweep -> new TreeMap<>())
        .computeIfAbsent(policy, name -> new Gaps());
  }

  private Outcome onePublished(JsonNode vectors, JsonNode row) {
    JsonNode scenario = vectors.get("scenarios").get(row.path("scenario").asText());
    List<Trace> zones = new ArrayList<>();
    for (JsonNode zone : scenario.get("zones")) {
      zones.add(traces.zone(scenario.get("data").asText(), zone.asText()));
    }
    SpotMarket market = SpotMarket.of(zones);
    double restart = row.get("restart_hours").asDouble() * 3600;
    Scenario job =
        new Scenario(
            new Throughput.ByCount(new double[] {1}),
            row.get("job_hours").asDouble() * 3600,
            1,
            row.get("deadline_hours").asDouble() * 3600,
            -1,
            0,
            Money.ZERO,
            Recovery.SURVIVORS,
            new Checkpointing(
                DataSize.ofGb(row.get("checkpoint_gb").asDouble()),
                true,
                0,
                0,
                0,
                false,
                false,
                new SaveRule.EveryStep()),
            new Startup(restart, restart, 0),
            new Billing(market.tickSeconds(), 0, 0),
            RecordedTraces.egress(zones));
    return Simulation.run(job, market, row.get("start_tick").asInt(), new Elastic(), 1, null);
  }

  // --- Counts ---

  /**
   * One job on a recorded market.
   *
   * @param ratio of the deadline to the shortest run
   */
  private record Job(
      int firstTick, double hours, double ratio, double boot, double reform, double minutes) {

    Scenario scenario(boolean gang, double[][] egress) {
      double[] speeds = new double[WORKERS];
      Arrays.setAll(speeds, n -> n + 1.0);
      return new Scenario(
          gang ? new Throughput.Gang(WORKERS, WORKERS) : new Throughput.ByCount(speeds),
          hours * 3600 * WORKERS,
          WORKERS,
          hours * 3600 * ratio,
          -1,
          0,
          Money.ZERO,
          gang ? Recovery.RESTART : Recovery.SURVIVORS,
          new Checkpointing(
              DataSize.ofGb(50), true, 5, 60, 60, false, false, new SaveRule.Fixed(minutes * 60)),
          new Startup(boot, boot, reform),
          Billing.BY_THE_SECOND,
          egress);
    }
  }

  private static List<Job> jobs(SpotMarket market) {
    List<Job> jobs = new ArrayList<>();
    double[] lengths = {10, 24, 50};
    double[] ratios = {1.05, 1.1, 1.2, 1.5, 2, 3};
    double[] boots = {120, 360, 720};
    int turn = 0;
    for (double hours : lengths) {
      for (double ratio : ratios) {
        for (int start = 0; start < 6; start++) {
          int needed = (int) Math.ceil(hours * ratio * 3600 / market.tickSeconds()) + 1;
          int room = market.ticks() - needed;
          if (room > 0) {
            jobs.add(
                new Job(
                    room * start / 6,
                    hours,
                    ratio,
                    boots[turn % 3],
                    turn % 2 == 0 ? 5 : 30,
                    turn % 4 < 2 ? 10 : 30));
            turn++;
          }
        }
      }
    }
    return jobs;
  }

  private void counts(String title, List<Trace> pools) {
    SpotMarket market = SpotMarket.of(pools);
    double[][] egress = RecordedTraces.egress(pools);
    List<Job> jobs = jobs(market);
    out.printf("%n## %s: %d jobs%n%n", title, jobs.size());
    out.println(
        "| policy | mean cost of those done | missed | not done | above the bound, all done | in time |");
    out.println("|---|---|---|---|---|---|");
    row("elastic", job -> new Elastic(), false, market, jobs, egress);
    row("on demand", job -> new OnDemandOnly(), false, market, jobs, egress);
    row("performance first", job -> new PerformanceFirst(), false, market, jobs, egress);
    row("spot only", job -> new SpotOnly(), false, market, jobs, egress);
    row("cost first", job -> new CostFirst(), false, market, jobs, egress);
    for (String name : GANGS) {
      GangPolicies.Entry entry = GangPolicies.named(name);
      row(
          "gang, " + name,
          job ->
              Policies.driven(
                  entry, job.scenario(true, egress), new Future(market, job.firstTick())),
          true,
          market,
          jobs,
          egress);
    }
  }

  private void row(
      String name,
      Function<Job, Policy> policy,
      boolean gang,
      SpotMarket market,
      List<Job> jobs,
      double[][] egress) {
    double[] speeds = new double[WORKERS];
    Arrays.setAll(speeds, n -> n + 1.0);
    int missed = 0;
    int notDone = 0;
    double cost = 0;
    double above = 0;
    double aboveInTime = 0;
    for (Job job : jobs) {
      Scenario scenario = job.scenario(gang, egress);
      Outcome outcome =
          Simulation.run(scenario, market, job.firstTick(), policy.apply(job), 1, null);
      double bound =
          ElasticBound.usd(scenario, speeds, market, job.firstTick(), scenario.deadlineSeconds());
      missed += outcome.metDeadline() ? 0 : 1;
      if (!outcome.finished()) {
        notDone++;
        continue;
      }
      double gap = outcome.cost().dollars() / bound - 1;
      cost += outcome.cost().dollars();
      above += gap;
      aboveInTime += outcome.metDeadline() ? gap : 0;
    }
    // A run that was not done by the record's end has no total cost.
    double done = Math.max(1, jobs.size() - notDone);
    out.printf(
        Locale.ROOT,
        "| %s | $%.2f | %d | %d | %.1f %% | %.1f %% |%n",
        name,
        cost / done,
        missed,
        notDone,
        100 * above / done,
        100 * aboveInTime / Math.max(1, jobs.size() - missed));
  }
}
