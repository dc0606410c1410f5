package io.deepvm.cli.options;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.base.PlainText;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.Pool;
import io.deepvm.planner.MemberRates;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.NodeLoad;
import io.deepvm.simulator.PlannedRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what {@code deepvm plan --output json} wrote. */
public final class PlanFile {

  /** Far more than any list of plans has. */
  private static final long MOST_BYTES = 64_000_000;

  private final Path file;

  private PlanFile(Path file) {
    this.file = file;
  }

  /** Returns the run of the plan with a rank. */
  public static PlannedRun read(Path file, int rank) {
    return new PlanFile(file).run(rank);
  }

  private PlannedRun run(int rank) {
    JsonNode root = json();
    if (!root.path("schema").asText().equals("deepvm/plans/v1")) {
      throw bad("is not of the schema deepvm/plans/v1");
    }
    if (root.path("plans").isEmpty()) {
      throw new BadInput(
          "%s holds no plan: %s"
              .formatted(file, root.at("/infeasible/reason").asText("nothing was found.")),
          "Maybe plan anew with what it says would fit.");
    }
    for (JsonNode plan : root.path("plans")) {
      if (plan.path("rank").asInt() == rank) {
        return run(plan);
      }
    }
    throw new BadInput(
        "%s has %d plans, and none of rank %d.".formatted(file, root.path("plans").size(), rank),
        "Maybe leave --rank out.");
  }

  private JsonNode json() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw bad("is larger than %,d bytes".formatted(MOST_BYTES));
      }
      return new ObjectMapper().readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw bad("is not JSON");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private PlannedRun run(JsonNode plan) {
    JsonNode run = object(plan, "run");
    List<PlannedRun.Group> workers = new ArrayList<>();
    for (JsonNode worker : run.path("workers")) {
      workers.add(worker(worker));
    }
    List<Double> speeds = new ArrayList<>();
    for (JsonNode speed : run.path("speeds")) {
      // Fewer nodes than a split model needs train nothing.
      boolean none = speed.isNumber() && speed.asDouble() == 0;
      speeds.add(none ? Double.valueOf(0) : positive(speed, "speeds"));
    }
    if (speeds.size() != workers.stream().mapToInt(PlannedRun.Group::count).sum()) {
      throw bad("does not have one of 'speeds' per worker");
    }
    JsonNode seconds = run.path("seconds");
    JsonNode deadline = run.path("deadlineSeconds");
    return new PlannedRun(
        plan.path("architecture").asText(),
        workers,
        new PlannedRun.Helpers(run.path("anchors").asInt(), money(run, "anchorsUsdPerHour")),
        new MemberRates(numbers(speeds), traffic(run, speeds.size())),
        seconds.isNumber() ? positive(seconds, "seconds") : null,
        checkpoint(object(run, "checkpoint")),
        run.has("load") ? load(object(run, "load")) : NodeLoad.NONE,
        deadline.isNumber() ? positive(deadline, "deadlineSeconds") : null);
  }

  /** Returns what traffic costs; a plan of an earlier release states none. */
  private double[] traffic(JsonNode run, int nodes) {
    JsonNode stated = run.path("trafficUsdPerHour");
    double[] traffic = new double[nodes];
    if (!stated.isMissingNode() && stated.size() != nodes) {
      throw bad("does not have one of 'trafficUsdPerHour' per worker");
    }
    for (int n = 0; n < stated.size(); n++) {
      double usd = stated.get(n).asDouble(Double.NaN);
      if (!(usd >= 0) || Double.isInfinite(usd)) {
        throw bad("has no number of at least 0 as 'trafficUsdPerHour'");
      }
      traffic[n] = usd;
    }
    return traffic;
  }

  private static double[] numbers(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private PlannedRun.Group worker(JsonNode worker) {
    JsonNode zone = worker.path("zone");
    return new PlannedRun.Group(
        new Pool(
            new Place(
                text(worker, "cloud"),
                text(worker, "region"),
                zone.isTextual() ? text(worker, "zone") : null),
            text(worker, "instanceType")),
        Values.choice("market", worker.path("market").asText("on-demand"), Market.values()),
        Values.whole("nodes", worker.path("count").asDouble()),
        worker.path("anchor").asBoolean(),
        money(worker, "usdPerHour"),
        worker.path("onDemandUsdPerHour").isNumber() ? money(worker, "onDemandUsdPerHour") : null,
        worker.has("speed") ? positive(worker.path("speed"), "speed") : 1,
        worker.path("gpus").isNumber() ? notNegative(worker, "gpus") : null);
  }

  private Checkpointing checkpoint(JsonNode c) {
    return new Checkpointing(
        new DataSize((long) positive(c.path("bytes"), "bytes")),
        true,
        notNegative(c, "stallSeconds"),
        notNegative(c, "shipSeconds"),
        notNegative(c, "restoreSeconds"),
        c.path("justInTime").asBoolean(),
        c.path("objectStore").asBoolean(),
        new SaveRule.Fixed(positive(c.path("intervalSeconds"), "intervalSeconds")));
  }

  private NodeLoad load(JsonNode load) {
    return new NodeLoad(
        notNegative(load, "seconds"),
        notNegative(load, "usd"),
        notNegative(load, "diskUsdPerHour"));
  }

  private JsonNode object(JsonNode in, String key) {
    JsonNode value = in.path(key);
    if (!value.isObject()) {
      throw bad("has a plan without '%s'".formatted(key));
    }
    return value;
  }

  private String text(JsonNode in, String key) {
    JsonNode value = in.path(key);
    if (!value.isTextual()) {
      throw bad("has a worker without '%s'".formatted(key));
    }
    // a process cannot be given them, and a terminal would obey them
    if (!PlainText.isPlain(value.asText())) {
      throw bad("has a worker with control characters in '%s'".formatted(key));
    }
    return value.asText();
  }

  private Money money(JsonNode in, String key) {
    JsonNode value = in.path(key);
    if (!value.isNumber() || value.asDouble() < 0) {
      throw bad("has no amount of dollars as '%s'".formatted(key));
    }
    try {
      return Money.of(value.decimalValue());
    } catch (ArithmeticException | NumberFormatException e) {
      throw bad("has more dollars than can be counted as '%s'".formatted(key));
    }
  }

  private double notNegative(JsonNode in, String key) {
    JsonNode value = in.path(key);
    if (!value.isNumber() || !(value.asDouble() >= 0) || Double.isInfinite(value.asDouble())) {
      throw bad("has no number of at least 0 as '%s'".formatted(key));
    }
    return value.asDouble();
  }

  private double positive(@Nullable JsonNode value, String key) {
    if (value == null
        || !value.isNumber()
        || !(value.asDouble() > 0)
        || Double.isInfinite(value.asDouble())) {
      throw bad("has no number above 0 as '%s'".formatted(key));
    }
    return value.asDouble();
  }

  private BadInput bad(String what) {
    return new BadInput(
        "%s %s.".formatted(file, what),
        "Maybe write it anew: deepvm plan ... --output json > plan.json");
  }
}
