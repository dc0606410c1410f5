package io.deepvm.studies.skynomad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.simulator.gang.Gang;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangPolicy;
import io.deepvm.simulator.gang.Replay;
import io.deepvm.simulator.gang.SkyNomad;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Hand-sized traces, tick by tick, against the original. */
class HandTracesTest {

  private static final double DOLLARS = 1e-9;
  private static final double INTERNALS = 1e-6;

  @Test
  void everyTickOfEveryHandMadeRunIsTheOriginals() {
    SoftAssertions soft = new SoftAssertions();
    int runs = 0;
    for (JsonNode hand : Vectors.read().get("hand")) {
      for (JsonNode result : hand.get("results")) {
        check(soft, hand, result);
        runs++;
      }
    }
    soft.assertAll();
    assertThat(runs).isGreaterThan(100);
  }

  private static void check(SoftAssertions soft, JsonNode hand, JsonNode result) {
    String policy = Vectors.ours(result.get("policy").asText());
    String name = hand.get("id").asText() + " " + policy;
    GangMarket market = Vectors.market(hand);
    if (result.has("region")) {
      market = market.only(result.get("region").asInt());
    }
    ArtifactCase given = Vectors.given(hand, 0);
    Witness witness = new Witness();
    ArtifactOutcome outcome = ArtifactSimulator.run(policy, market, given, witness);
    soft.assertThat(outcome.publishedDollars())
        .as(name)
        .isCloseTo(result.get("published_cost").asDouble(), within(DOLLARS));
    if (result.path("infeasible_fallback").asBoolean()) {
      return;
    }
    soft.assertThat(outcome.full().dollars())
        .as(name)
        .isCloseTo(result.get("full_cost").asDouble(), within(DOLLARS));
    soft.assertThat(outcome.full().finishTick())
        .as(name)
        .isEqualTo(result.get("finish_tick").asInt());
    if (result.has("plan")) {
      soft.assertThat(plan(ArtifactOptimal.plan(market, given.job())))
          .as(name)
          .isEqualTo(
              Vectors.texts(result.get("plan")).stream().map(HandTracesTest::named).toList());
    }
    if (!result.has("region")) {
      soft.assertThat(outcome.publishedMigrations())
          .as(name)
          .isEqualTo(result.get("migrations").asInt());
      soft.assertThat(outcome.full().migrations())
          .as(name)
          .isEqualTo(result.get("migrations_full").asInt());
      soft.assertThat(outcome.full().egressDollars())
          .as(name)
          .isCloseTo(result.get("transfer").asDouble(), within(DOLLARS));
      soft.assertThat(outcome.full().probeDollars())
          .as(name)
          .isCloseTo(result.get("probe").asDouble(), within(DOLLARS));
      soft.assertThat(outcome.safetyNet()).as(name).isEqualTo(result.get("safety_net").asBoolean());
    }
    for (JsonNode tick : result.get("ticks")) {
      int t = tick.get("tick").asInt();
      String when = name + " tick " + t;
      if (tick.path("request").asText().equals("DONE")) {
        continue;
      }
      Witness.Seen seen = witness.ticks.get(t);
      soft.assertThat(seen.done)
          .as(when)
          .isCloseTo(tick.get("done_s").asDouble(), within(INTERNALS));
      soft.assertThat(seen.dollars)
          .as(when)
          .isCloseTo(tick.get("cost_before_tick").asDouble(), within(1e-9));
      if (result.has("region")) {
        soft.assertThat(seen.after).as(when).isEqualTo(request(tick.get("request").asText()));
        soft.assertThat(seen.launched ? given.job().restartSeconds() : seen.overhead)
            .as(when)
            .isCloseTo(tick.get("overhead_left_s").asDouble(), within(INTERNALS));
      } else {
        soft.assertThat(seen.overhead)
            .as(when)
            .isCloseTo(tick.get("overhead_left_s").asDouble(), within(INTERNALS));
        soft.assertThat(seen.before).as(when).isEqualTo(running(tick.get("before")));
        soft.assertThat(seen.after).as(when).isEqualTo(running(tick.get("after")));
        soft.assertThat(seen.actions)
            .as(when)
            .containsExactlyInAnyOrderElementsOf(actions(tick.get("actions")));
        if (tick.has("sky") && seen.reading != null) {
          internals(soft, when, seen.reading, tick.get("sky"));
        }
      }
    }
  }

  private static void internals(
      SoftAssertions soft, String when, SkyNomad.Reading ours, JsonNode sky) {
    soft.assertThat(ours.value()).as(when).isCloseTo(sky.get("V").asDouble(), within(INTERNALS));
    soft.assertThat(ours.origin()).as(when).isEqualTo(sky.get("origin").asInt(Gang.NOWHERE));
    near(soft, when + " life", ours.lifeHours(), sky.get("lifetime_h"));
    near(soft, when + " availability", ours.availability(), sky.get("avail"));
    near(soft, when + " burst", ours.burst(), sky.get("g"));
    near(soft, when + " age", ours.ageHours(), sky.get("age_h"));
    near(soft, when + " price", ours.prices(), sky.get("price_seen"));
  }

  private static void near(SoftAssertions soft, String what, double[] ours, JsonNode theirs) {
    double[] expected = Vectors.numbers(theirs);
    for (int i = 0; i < expected.length; i++) {
      if (Double.isNaN(expected[i])) {
        soft.assertThat(ours[i]).as(what).isNaN();
      } else {
        soft.assertThat(ours[i]).as(what).isCloseTo(expected[i], within(INTERNALS));
      }
    }
  }

  private static List<String> plan(List<Replay.Part> plan) {
    return plan.stream().map(part -> part.mode() + "@" + part.zone()).toList();
  }

  private static String named(String mode) {
    if (mode.equals("NONE")) {
      return "NONE@0";
    }
    int digits = mode.length();
    while (Character.isDigit(mode.charAt(digits - 1))) {
      digits--;
    }
    String kind = mode.substring(0, digits);
    return (kind.equals("OD") ? "ON_DEMAND" : kind) + "@" + mode.substring(digits);
  }

  private static String request(String request) {
    return switch (request) {
      case "OD" -> "0 OD";
      case "SPOT" -> "0 SPOT";
      default -> "";
    };
  }

  private static String running(JsonNode instances) {
    return instances.isEmpty()
        ? ""
        : instances.get(0).get(0).asInt() + " " + instances.get(0).get(1).asText();
  }

  private static List<String> actions(JsonNode nodes) {
    List<String> actions = new ArrayList<>();
    for (JsonNode node : nodes) {
      actions.add(
          "%s %d %s %s"
              .formatted(
                  node.get("a").asText(),
                  node.get("region").asInt(),
                  node.path("type").asText(""),
                  node.path("ok").asText("")));
    }
    return actions;
  }

  /** Looks over a policy's shoulder. */
  private static final class Witness implements UnaryOperator<GangPolicy> {

    private record Seen(
        double done,
        double overhead,
        double dollars,
        boolean launched,
        String before,
        String after,
        List<String> actions,
        SkyNomad.@Nullable Reading reading) {}

    private final List<Seen> ticks = new ArrayList<>();

    @Override
    public GangPolicy apply(GangPolicy policy) {
      return new GangPolicy() {
        @Override
        public void start(Gang gang) {
          policy.start(gang);
        }

        @Override
        public void step(Gang gang) {
          Watched watched = new Watched(gang);
          String before = running(gang);
          double dollars =
              gang instanceof ArtifactGang a ? a.paid() : ((SingleZoneGang) gang).paid();
          policy.step(watched);
          SkyNomad.Reading reading =
              policy instanceof ArtifactSafetyNet net
                      && !net.isLatched()
                      && net.policy() instanceof SkyNomad sky
                  ? sky.reading()
                  : null;
          ticks.add(
              new Seen(
                  gang.done(),
                  gang.overheadLeft(),
                  dollars,
                  watched.launched,
                  before,
                  running(gang),
                  watched.actions,
                  reading));
        }
      };
    }

    static String running(Gang gang) {
      return switch (gang.mode()) {
        case NONE -> "";
        case SPOT -> gang.zone() + " SPOT";
        case ON_DEMAND -> gang.zone() + " OD";
      };
    }
  }

  /** Writes down what a policy does; a launch that replaces something also ends it. */
  private static final class Watched implements Gang {

    private final Gang gang;
    private final List<String> actions = new ArrayList<>();
    private boolean launched;

    Watched(Gang gang) {
      this.gang = gang;
    }

    private void replace(int oldZone, String before) {
      if (!Witness.running(gang).equals(before)) {
        launched = true;
        if (oldZone != NOWHERE) {
          actions.add("terminate %d  ".formatted(oldZone));
        }
      }
    }

    @Override
    public boolean launchSpot(int zone) {
      int old = gang.zone();
      String before = Witness.running(gang);
      boolean ok = gang.launchSpot(zone);
      if (!before.equals(zone + " SPOT")) {
        actions.add("launch %d SPOT %s".formatted(zone, ok));
        replace(old, before);
      }
      return ok;
    }

    @Override
    public void launchOnDemand(int zone) {
      int old = gang.zone();
      String before = Witness.running(gang);
      gang.launchOnDemand(zone);
      if (!before.equals(zone + " OD")) {
        actions.add("launch %d OD true".formatted(zone));
        replace(old, before);
      }
    }

    @Override
    public void terminate() {
      actions.add("terminate %d  ".formatted(gang.zone()));
      gang.terminate();
    }

    @Override
    public boolean probe(int zone) {
      boolean ok = gang.probe(zone);
      actions.add("probe %d  %s".formatted(zone, ok));
      return ok;
    }

    @Override
    public int zones() {
      return gang.zones();
    }

    @Override
    public int region(int zone) {
      return gang.region(zone);
    }

    @Override
    public int tick() {
      return gang.tick();
    }

    @Override
    public double tickSeconds() {
      return gang.tickSeconds();
    }

    @Override
    public double now() {
      return gang.now();
    }

    @Override
    public GangJob job() {
      return gang.job();
    }

    @Override
    public double done() {
      return gang.done();
    }

    @Override
    public double doneAt(int tick) {
      return gang.doneAt(tick);
    }

    @Override
    public double left() {
      return gang.left();
    }

    @Override
    public double overheadLeft() {
      return gang.overheadLeft();
    }

    @Override
    public Mode mode() {
      return gang.mode();
    }

    @Override
    public int zone() {
      return gang.zone();
    }

    @Override
    public int leader() {
      return gang.leader();
    }

    @Override
    public double probeDollars(int zone) {
      return gang.probeDollars(zone);
    }

    @Override
    public double spotPrice(int zone) {
      return gang.spotPrice(zone);
    }

    @Override
    public double onDemandPrice(int zone) {
      return gang.onDemandPrice(zone);
    }

    @Override
    public double egress(int from, int to) {
      return gang.egress(from, to);
    }
  }
}
