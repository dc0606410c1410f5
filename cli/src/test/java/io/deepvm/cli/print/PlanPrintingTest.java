package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.Money;
import io.deepvm.planner.Planning;
import io.deepvm.simulator.PlanReading;
import io.deepvm.workload.Job;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PlanPrintingTest {

  @Test
  void bestPlanIsASentenceThenATableThenReasons() {
    Planning planning = Samples.planning(Samples.plan(17, null, null), Samples.plan(9, null, null));
    assertThat(table(planning))
        .isEqualTo(
            """
            17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand in aws/us-east-1, $2.8526/h, speed-up 3.92, 255 TFLOPS.
            Prices: catalog 'small', as of 2026-08-22 (made by hand).

            #  ARCHITECTURE  WORKERS                ANCHORS                  PLACE          PRICE/H  SPEED-UP       SPEED        SCORE
            1  tiering       17 x g4dn.xlarge spot  1 x c5.xlarge on-demand  aws/us-east-1  $2.8526      3.92  255 TFLOPS  255 EFLOP/$
            2  tiering       9 x g4dn.xlarge spot   1 x c5.xlarge on-demand  aws/us-east-1  $1.5902      3.92  255 TFLOPS  135 EFLOP/$

            Why the first:
            - Limit: the budget.
            """);
  }

  @Test
  void timeAndCostAreShownWhenTheJobStatesItsWork() {
    Planning planning = Samples.planning(Samples.plan(17, 15_000.0, Money.parse("11.885833")));
    assertThat(table(planning))
        .contains("done in 4 h 10 min for $11.89.")
        .contains("TIME    COST")
        .contains("4 h 10 min  $11.89");
  }

  @Test
  void explanationShowsTheFourStagesInOrder() {
    String text =
        print(
            out ->
                new Explanation(out, new Paint(false))
                    .print(Samples.planning(Samples.plan(17, null, null)), Samples.CATALOG));
    assertThat(text)
        .containsSubsequence(
            "1. Goal",
            "at most $3.00/h",
            "2. Worker offers by FLOPP",
            "1.48 EFLOP/$",
            "left out 7: FLOPS unknown",
            "left out 2: no spot offer",
            "3. The best cluster of each architecture",
            "single-anchor, 12 clusters weighed: none fits",
            "tiering, 1,234 clusters weighed: 17 x g4dn.xlarge spot",
            "4. Choice",
            "Limit: the budget.",
            "Pareto front");
  }

  @Test
  void jsonHasTheKeysAndExactPricesOfItsSchema() throws Exception {
    JsonNode json =
        new ObjectMapper().readTree(json(Samples.planning(Samples.plan(17, null, null))));
    assertThat(json.get("schema").asText()).isEqualTo("deepvm/plans/v1");
    assertThat(json.at("/catalog/name").asText()).isEqualTo("small");
    assertThat(json.at("/catalog/asOf").asText()).isEqualTo("2026-08-22");
    JsonNode plan = json.at("/plans/0");
    assertThat(plan.get("rank").asInt()).isEqualTo(1);
    assertThat(plan.get("usdPerHour").decimalValue()).isEqualByComparingTo("2.8526");
    assertThat(plan.at("/nodes/0").toString())
        .isEqualTo(
            """
            {"role":"worker","cloud":"aws","region":"us-east-1","zone":null,\
            "instanceType":"g4dn.xlarge","market":"spot","count":17,"usdPerHour":0.1578}""");
    assertThat(plan.get("objective").asText()).isEqualTo("flopp");
    assertThat(plan.at("/predicted/speedup").asDouble()).isEqualTo(3.92);
    assertThat(plan.get("predicted").has("samplesPerSecond")).isTrue();
    assertThat(plan.at("/predicted/samplesPerSecond").isNull()).isTrue();
    assertThat(plan.at("/why/0").asText()).isEqualTo("Limit: the budget.");
    assertThat(json.has("infeasible")).isFalse();
  }

  @Test
  void jsonOfNothingSaysWhyAndWhatToRelax() throws Exception {
    JsonNode json = new ObjectMapper().readTree(json(Samples.infeasible()));
    assertThat(json.get("plans").isEmpty()).isTrue();
    assertThat(json.at("/infeasible/reason").asText()).contains("$0.01/h");
    assertThat(json.at("/infeasible/relax/0").asText()).startsWith("raise");
    assertThat(json.at("/infeasible/smallestUsdPerHour").decimalValue())
        .isEqualByComparingTo("0.3278");
  }

  @Test
  void csvHasOneRowPerGroupOfNodes() {
    String csv =
        print(out -> PlanCsv.print(out, Samples.planning(Samples.plan(17, 60.0, null)), Map.of()));
    assertThat(csv.lines().skip(1))
        .containsExactly(
            "1,tiering,worker,aws,us-east-1,,g4dn.xlarge,spot,17,0.1578,2.8526,flopp,2.55E20,3.92,60.0,,,,0,,,,,",
            "1,tiering,anchor,aws,us-east-1,,c5.xlarge,on-demand,1,0.17,2.8526,flopp,2.55E20,3.92,60.0,,,,0,,,,,");
  }

  @Test
  void outputIsTheSameUnderEveryLocale() {
    Planning planning = Samples.planning(Samples.plan(17, 15_000.0, Money.parse("11.88")));
    String expected = table(planning) + json(planning);
    Locale before = Locale.getDefault();
    try {
      for (String tag : new String[] {"de-DE", "ar-EG-u-nu-arab", "tr-TR", "hi-IN-u-nu-deva"}) {
        Locale.setDefault(Locale.forLanguageTag(tag));
        assertThat(table(planning) + json(planning)).as(tag).isEqualTo(expected);
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void colourIsOnlyAddedAroundThePlainText() {
    Planning planning = Samples.planning(Samples.plan(17, null, null));
    String coloured =
        print(
            out -> new PlanTable(out, new Paint(true)).print(planning, Samples.CATALOG, Map.of()));
    assertThat(coloured).contains("\u001b[1m");
    assertThat(coloured.replaceAll("\u001b\\[[0-9]m", "")).isEqualTo(table(planning));
  }

  private static String table(Planning planning) {
    return print(
        out -> new PlanTable(out, new Paint(false)).print(planning, Samples.CATALOG, Map.of()));
  }

  private static String json(Planning planning) {
    return print(
        out ->
            PlanJson.print(
                out,
                planning,
                Samples.CATALOG,
                plan -> PlanReading.of(plan, Job.UNSTATED, planning.goal(), Samples.CATALOG),
                Map.of(),
                Map.of()));
  }

  static String print(Consumer<PrintWriter> printing) {
    StringWriter text = new StringWriter();
    try (PrintWriter out = new PrintWriter(text)) {
      printing.accept(out);
    }
    return text.toString().replace(System.lineSeparator(), "\n");
  }
}
