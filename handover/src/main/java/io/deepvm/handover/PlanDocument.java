package io.deepvm.handover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.PlainText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads plans as {@code deepvm plan --output json} writes them. */
public final class PlanDocument {

  private static final String SCHEMA = "deepvm/plans/v1";
  private static final Set<String> ROLES = Set.of("worker", "anchor", "server");
  private static final int MOST_NODES = 100_000;
  private static final long MOST_BYTES = 64_000_000;

  private final Path file;

  private PlanDocument(Path file) {
    this.file = file;
  }

  /** Returns the plan of a rank, with those ranked below. */
  public static HandedPlan read(Path file, int rank) {
    return new PlanDocument(file).plan(rank);
  }

  private HandedPlan plan(int rank) {
    JsonNode plans = root().path("plans");
    if (plans.isEmpty()) {
      throw bad("holds no plan");
    }
    List<HandedPlan> all = new ArrayList<>();
    plans.forEach(plan -> all.add(plan(plan, List.of())));
    for (JsonNode plan : plans) {
      if (plan.path("rank").asInt() == rank) {
        return plan(plan, all.stream().filter(other -> other.rank() > rank).toList());
      }
    }
    throw new BadInput(
        "%s has %d plans, and none of rank %d.".formatted(file, plans.size(), rank),
        "Maybe leave --rank out.");
  }

  private JsonNode root() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw bad("is larger than %,d bytes".formatted(MOST_BYTES));
      }
      JsonNode root = JsonMapper.builder().build().readTree(Files.readAllBytes(file));
      if (root == null || !root.path("schema").asText().equals(SCHEMA)) {
        throw bad("is not of the schema " + SCHEMA);
      }
      return root;
    } catch (JsonProcessingException e) {
      throw bad("is not JSON");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HandedPlan plan(JsonNode plan, List<HandedPlan> below) {
    Map<String, Integer> gpus = new HashMap<>();
    plan.at("/run/workers")
        .forEach(each -> gpus.put(each.path("instanceType").asText(), each.path("gpus").asInt(0)));
    List<PlannedNodes> nodes = new ArrayList<>();
    plan.path("nodes").forEach(each -> nodes.add(nodes(each, gpus)));
    // Workers first, so that ranks begin with them.
    nodes.sort((a, b) -> Boolean.compare(b.isWorker(), a.isWorker()));
    if (nodes.stream().noneMatch(PlannedNodes::isWorker)) {
      throw bad("has a plan without workers");
    }
    JsonNode seconds = plan.at("/predicted/seconds");
    return new HandedPlan(
        plan.path("rank").asInt(),
        text(plan, "architecture"),
        nodes,
        usd(plan),
        seconds.isNumber() && seconds.asDouble() > 0 ? seconds.asDouble() : null,
        below);
  }

  private PlannedNodes nodes(JsonNode node, Map<String, Integer> gpus) {
    String role = text(node, "role");
    int count = node.path("count").asInt(0);
    if (!ROLES.contains(role) || count < 1 || count > MOST_NODES) {
      throw bad("has nodes of the role '%s', %d of them".formatted(PlainText.of(role), count));
    }
    JsonNode zone = node.path("zone");
    String type = text(node, "instanceType");
    return new PlannedNodes(
        role,
        new PlannedNodes.Site(
            text(node, "cloud"),
            text(node, "region"),
            zone.isTextual() ? text(node, "zone") : null),
        type,
        text(node, "market").equals("spot"),
        count,
        usd(node),
        gpus.getOrDefault(type, 0));
  }

  private BigDecimal usd(JsonNode node) {
    JsonNode value = node.path("usdPerHour");
    if (!value.isNumber() || value.asDouble() < 0) {
      throw bad("has no amount of dollars as 'usdPerHour'");
    }
    return value.decimalValue();
  }

  private String text(JsonNode node, String key) {
    JsonNode value = node.path(key);
    if (!value.isTextual() || !PlainText.isPlain(value.asText())) {
      throw bad("has no plain text as '%s'".formatted(key));
    }
    return value.asText();
  }

  private BadInput bad(String what) {
    return new BadInput(
        "%s %s.".formatted(file, what),
        "Maybe write it anew: deepvm plan ... --output json > plan.json");
  }
}
