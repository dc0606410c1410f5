package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SpotRulesTest {

  private static final Duration TICK = Duration.ofMinutes(10);

  /** Spot nodes of one pool, named by their age, the oldest first. */
  private static final class Nodes implements SpotRules.Fleet {
    private final List<String> names = new ArrayList<>();
    private final List<SpotRules.Warning> warnings = new ArrayList<>();
    private final List<String> taken = new ArrayList<>();
    private final List<String> spared = new ArrayList<>();

    Nodes(int count) {
      for (int i = 1; i <= count; i++) {
        names.add("n" + i);
        warnings.add(SpotRules.Warning.NONE);
      }
    }

    Nodes warned(int node, SpotRules.Warning by) {
      warnings.set(node, by);
      return this;
    }

    @Override
    public int size() {
      return names.size();
    }

    @Override
    public boolean isSpot(int node, int pool) {
      return true;
    }

    @Override
    public SpotRules.Warning warning(int node) {
      return warnings.get(node);
    }

    @Override
    public void warn(int node) {
      assertThat(warnings.get(node)).isEqualTo(SpotRules.Warning.NONE);
      warnings.set(node, SpotRules.Warning.MARKET);
    }

    @Override
    public void spare(int node) {
      warnings.set(node, SpotRules.Warning.NONE);
      spared.add(names.get(node));
    }

    @Override
    public void take(int node) {
      warnings.remove(node);
      taken.add(names.remove(node));
    }

    long warnedByMarket() {
      return warnings.stream().filter(w -> w == SpotRules.Warning.MARKET).count();
    }
  }

  private static SpotMarket market(String cloud, Duration tick, int... available) {
    Pool pool = new Pool(new Place(cloud, "here", null), "type");
    double[] prices = new double[available.length];
    return SpotMarket.of(List.of(new Trace(pool, null, tick, available, 100, prices, 4.0)));
  }

  private static SpotRules rules(SpotMarket market) {
    return new SpotRules(market, 0, new SplittableRandom(1));
  }

  private static SpotRules rules(String cloud, int... available) {
    return rules(market(cloud, TICK, available));
  }

  @Test
  void aPoolWarnsByTheLeadOfItsNoticeBeforeTheTick() {
    assertThat(rules("aws", 3, 1).noticeMs(0, 0)).isEqualTo(480_000);
    assertThat(rules("gcp", 3, 1).noticeMs(0, 4)).isEqualTo(5 * 600_000 - 30_000);
    assertThat(rules("local", 3, 1).noticeMs(0, 0)).isEqualTo(SpotRules.NEVER);
  }

  @Test
  void aLeadLongerThanATickComesRightAfterTheTickBegan() {
    SpotRules rules = rules(market("aws", Duration.ofMinutes(1), 3, 1));
    assertThat(rules.noticeMs(0, 0)).isEqualTo(1);
    assertThat(rules.noticeMs(0, 7)).isEqualTo(7 * 60_000 + 1);
  }

  @Test
  void aPoolFallsIfTheNextTickHasFewerNodesThanAreHeld() {
    SpotRules rules = rules("aws", 3, 1);
    assertThat(rules.falls(0, 0, 2)).isTrue();
    assertThat(rules.falls(0, 0, 1)).isFalse();
    assertThat(rules.falls(0, 1, 2)).as("nothing is known of the time after the record").isFalse();
    assertThat(rules.isOver(1)).isFalse();
    assertThat(rules.isOver(2)).isTrue();
  }

  @Test
  void aPoolWarnsAsManyNodesAsWillBeTooMany() {
    Nodes nodes = new Nodes(5);
    assertThat(rules("aws", 5, 2).warn(0, 0, nodes)).isTrue();
    assertThat(nodes.warnedByMarket()).isEqualTo(3);
    assertThat(rules("aws", 5, 2).warn(0, 0, nodes)).as("all are warned already").isFalse();
  }

  @Test
  void aNodeThatAnotherCauseWarnedIsNotWarnedAgainAndNotSpared() {
    Nodes nodes = new Nodes(3).warned(1, SpotRules.Warning.OTHER);
    SpotRules rules = rules("aws", 3, 1);
    rules.warn(0, 0, nodes);
    assertThat(nodes.warnings)
        .containsExactly(
            SpotRules.Warning.MARKET, SpotRules.Warning.OTHER, SpotRules.Warning.MARKET);
    rules.take(0, 0, 3, nodes);
    assertThat(nodes.spared).containsExactly("n3", "n1");
    assertThat(nodes.warnings).contains(SpotRules.Warning.OTHER);
  }

  @Test
  void aNoticeComesAsOftenAsItIsReliable() {
    SpotMarket unreliable =
        market("aws", TICK, 1, 0).losing(cloud -> new UnannouncedLosses(0.25, 0));
    SpotRules rules = rules(unreliable);
    int came = 0;
    for (int i = 0; i < 10_000; i++) {
      came += rules.warn(0, 0, new Nodes(1)) ? 1 : 0;
    }
    assertThat(came).isBetween(7_300, 7_700);
  }

  @Test
  void warnedNodesAreTakenFirstAndTheYoungestOfThem() {
    Nodes nodes =
        new Nodes(4)
            .warned(0, SpotRules.Warning.MARKET)
            .warned(1, SpotRules.Warning.MARKET)
            .warned(2, SpotRules.Warning.MARKET);
    rules("aws", 2).take(0, 0, 4, nodes);
    assertThat(nodes.taken).containsExactly("n3", "n2");
    assertThat(nodes.spared).containsExactly("n1");
    assertThat(nodes.names).containsExactly("n1", "n4");
  }

  @Test
  void theRestIsTakenByLot() {
    int[] times = new int[4];
    SpotRules rules = rules("aws", 2);
    for (int i = 0; i < 10_000; i++) {
      Nodes nodes = new Nodes(4).warned(3, SpotRules.Warning.MARKET);
      rules.take(0, 0, 4, nodes);
      assertThat(nodes.taken).hasSize(2).startsWith("n4");
      times[nodes.taken.get(1).charAt(1) - '1']++;
    }
    assertThat(times[0]).isBetween(3_100, 3_600);
    assertThat(times[1]).isBetween(3_100, 3_600);
    assertThat(times[3]).isZero();
  }

  @Test
  void nothingIsTakenWhileThereIsEnough() {
    Nodes nodes = new Nodes(2).warned(0, SpotRules.Warning.MARKET);
    rules("aws", 2).take(0, 0, 2, nodes);
    assertThat(nodes.taken).isEmpty();
    assertThat(nodes.spared).containsExactly("n1");
  }
}
