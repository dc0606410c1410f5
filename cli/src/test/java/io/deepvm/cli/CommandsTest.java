package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import java.io.IOException;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Runs the commands on the built-in catalogs. */
class CommandsTest {

  private static final String PLAN = "plan --max-price-per-hour 3 --catalog paper";

  private static final Path BERT =
      Path.of(System.getProperty("deepvm.root", ".."), "examples", "bert-finetune.yaml");

  @TempDir Path folder;

  @Test
  void planFindsThePapersCluster() {
    Screen screen = run(PLAN);
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.err()).isEmpty();
    assertThat(screen.out())
        .startsWith(
            "17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand in aws/us-east-1, $2.8526/h,"
                + " speed-up 3.92");
  }

  @Test
  void planWorksWithoutAnyFile() {
    Screen screen = run("plan --max-price-per-hour 3");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out()).contains("Prices: catalog 'snapshot', as of 20");
  }

  @Test
  void explainedPlanShowsAllStages() {
    assertThat(run(PLAN + " --explain").out())
        .containsSubsequence("1. Goal", "2. Worker offers", "3. The best", "4. Choice");
  }

  @Test
  void theArtifactsAnswersAreItsOwnTopThree() {
    assertThat(run(PLAN + " --compat artifact").out())
        .contains("1 x c5.xlarge", "1 x m6i.xlarge", "1 x c5n.xlarge");
  }

  @Test
  void paperRulesHoldTheWholeCheckpointOnEachAnchor() throws IOException {
    Screen paper = run(PLAN + " --compat paper --checkpoint-size 5GB --output json");
    Screen whole = run(PLAN + " --anchor-memory whole --checkpoint-size 5GB --output json");
    assertThat(paper.out()).isEqualTo(whole.out());
    assertThat(json(paper).at("/plans/0/usdPerHour").decimalValue())
        .isGreaterThan(json(run(PLAN + " --output json")).at("/plans/0/usdPerHour").decimalValue());
  }

  @Test
  void aBudgetTooSmallEndsWithThreeAndSaysWhatWorks() throws IOException {
    String tooLittle = "plan --max-price-per-hour 0.01 --catalog paper";
    Screen screen = run(tooLittle);
    assertThat(screen.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(screen.out()).isEmpty();
    assertThat(screen.err()).contains("$0.01", "Maybe raise --max-price-per-hour");

    Screen asJson = run(tooLittle + " --output json");
    assertThat(asJson.exitCode()).isEqualTo(Exit.INFEASIBLE);
    JsonNode json = json(asJson);
    assertThat(json.get("plans").isEmpty()).isTrue();
    String enough = json.at("/infeasible/smallestUsdPerHour").decimalValue().toPlainString();
    assertThat(run("plan --catalog paper --max-price-per-hour " + enough).exitCode())
        .isEqualTo(Exit.DONE);
  }

  @Test
  void onlyTheGpusAskedForAreRentedAndTheFilterIsNamed() throws IOException {
    JsonNode json =
        json(
            run(
                "plan --max-price-per-hour 2 --gpu T4,l4 --gpu A10G --place eu-west-1"
                    + " --exclude g4dn.xlarge --output json --job "
                    + BERT));
    for (JsonNode plan : json.get("plans")) {
      assertThat(plan.at("/nodes/0/instanceType").textValue())
          .containsPattern("^(g4dn|g5|g6|g6f|gr6|gr6f)[.]")
          .isNotEqualTo("g4dn.xlarge");
      assertThat(plan.at("/nodes/0/region").textValue()).isEqualTo("eu-west-1");
    }
    assertThat(json.at("/plans/0/why").toString())
        .contains("the place filter (aws/eu-west-1); without it");
    assertThat(json.get("leftOut").toString())
        .contains("without one of the GPUs asked for (T4, l4, A10G)", "that are excluded");
  }

  @Test
  void gpusOfOtherVendorsAreLeftOutWithALineUntilAskedFor() throws IOException {
    String runpod = "plan --max-price-per-hour 6 --place runpod --top 1 --output json";
    Screen usual = run(runpod);
    assertThat(usual.err())
        .contains("types with AMD GPUs are left out; --vendor any considers them too.");
    assertThat(json(usual).get("plans").toString()).doesNotContain("MI300X");
    Screen amd = run(runpod + " --vendor amd");
    assertThat(amd.err()).doesNotContain("left out");
    assertThat(json(amd).at("/plans/0/nodes/0/instanceType").textValue()).contains("MI300X");
    assertThat(json(run(runpod + " --gpu MI300X")).at("/plans/0/nodes").toString())
        .contains("MI300X");
    assertThat(run("plan --max-price-per-hour 3 --place aws").err()).isEmpty();
  }

  @Test
  void aFilterThatLeavesNothingEndsWithThreeAndNamesTheFilter() {
    Screen screen = run("plan --max-price-per-hour 3 --gpu MI300X --place aws/us-east-1");
    assertThat(screen.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(screen.err())
        .contains("No GPU worker in aws/us-east-1 passes the filter: GPU MI300X.")
        .contains("Maybe widen --gpu: without it, ");
  }

  @Test
  void bf16IsPlannedAsFp16() throws IOException {
    String plan = "plan --max-price-per-hour 3 --place aws/us-east-1 --gpu A10G --output json";
    assertThat(json(run(plan + " --precision bf16")).get("plans"))
        .isEqualTo(json(run(plan)).get("plans"));
    assertThat(run(plan + " --precision fp8").exitCode()).isEqualTo(Exit.INFEASIBLE);
  }

  @Test
  void aPlanOfAsManyWorkersAsArePlannedBlamesNoQuota() {
    String plenty =
        "plan --max-price-per-hour 1000000000 --place aws/us-east-1 --min-marginal-gain 0";
    assertThat(run(plenty).out())
        .contains("no more than 1,000 workers")
        .doesNotContain("the quota, none");
  }

  @Test
  void aCloudWithoutASpotMarketIsPlannedOnDemand() throws IOException {
    String lambda = "plan --place lambda --max-price-per-hour 4";
    Screen spot = run(lambda);
    assertThat(spot.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(spot.err()).contains("on the spot market", "Maybe add --market on-demand");
    JsonNode json = json(run(lambda + " --market on-demand --output json"));
    assertThat(json.at("/plans/0/usdPerHour").asDouble()).isLessThanOrEqualTo(4);
    for (JsonNode node : json.at("/plans/0/nodes")) {
      assertThat(node.get("market").asText()).isEqualTo("on-demand");
      assertThat(node.get("role").asText()).isEqualTo("worker");
    }
    assertThat(json.at("/plans/0/run/workers/0/anchor").asBoolean()).isTrue();
    assertThat(json.at("/plans/0/why").toString()).contains("so spot saves nothing");
    assertThat(run(lambda + " --market any").exitCode()).isEqualTo(Exit.DONE);
  }

  @Test
  void everyPlanSaysWhatSpotSavesAndAtWhichRisk() throws IOException {
    for (JsonNode plan : json(run(PLAN + " --output json")).get("plans")) {
      String last = plan.get("why").get(plan.get("why").size() - 1).asText();
      assertThat(last)
          .startsWith("Market: spot saves ")
          .contains("against the same cluster on demand", "borrowed from aws-v100-2023-02");
    }
    assertThat(run(PLAN).out())
        .contains("spot saves 68.7 %", "($2.8526/h instead of $9.112/h)", "about every 3 h 17 min");
    assertThat(run(PLAN + " --market on-demand --objective throughput").out())
        .contains("Market: on demand; spot would save 70 %");
  }

  @Test
  void aCostAndADeadlineAreEnoughOfALimit() throws IOException {
    Path file = Path.of(System.getProperty("deepvm.root", ".."), "examples", "resnet50.yaml");
    String job = "plan --output json --place aws/us-* --job " + file;
    JsonNode both = json(run(job + " --max-cost 40 --deadline 24h")).at("/plans/0");
    assertThat(both.get("objective").asText()).isEqualTo("cost");
    assertThat(both.at("/predicted/usd").asDouble()).isLessThanOrEqualTo(40);
    assertThat(both.at("/predicted/seconds").asDouble()).isLessThanOrEqualTo(86_400);
    JsonNode cost = json(run(job + " --max-cost 40")).at("/plans/0");
    assertThat(cost.get("objective").asText()).isEqualTo("time");
    assertThat(cost.at("/predicted/usd").asDouble()).isLessThanOrEqualTo(40);
    assertThat(cost.at("/predicted/seconds").asDouble())
        .isLessThanOrEqualTo(both.at("/predicted/seconds").asDouble());
    Screen neither = run(job + " --max-cost 0.01 --deadline 1s");
    assertThat(neither.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(neither.err()).contains("Maybe raise --max-cost from $0.01 to ", "and --deadline");
  }

  @Test
  void aLargeBudgetStopsAtWorkersThatAreNotWorthTheirPrice() throws IOException {
    String large = "plan --max-price-per-hour 100000 --place aws/us-east-1 --output json";
    JsonNode worth = json(run(large)).at("/plans/0");
    assertThat(worth.get("why").toString())
        .contains("Limit: the last worker must be worth its price");
    JsonNode all = json(run(large + " --min-marginal-gain 0")).at("/plans/0");
    assertThat(all.get("usdPerHour").asDouble()).isGreaterThan(worth.get("usdPerHour").asDouble());
    String paper = " --catalog paper-simulation --objective throughput --output json";
    String onPaper = "plan --max-price-per-hour 50" + paper;
    assertThat(run(onPaper).out()).isEqualTo(run(onPaper + " --min-marginal-gain 0").out());
  }

  @Test
  void everyPlanInJsonStaysWithinItsBudgetExactly() throws IOException {
    JsonNode json = json(run(PLAN + " --top 5 --output json"));
    assertThat(json.get("plans").size()).isGreaterThan(2);
    for (JsonNode plan : json.get("plans")) {
      var sum = BigDecimal.ZERO;
      for (JsonNode node : plan.get("nodes")) {
        sum =
            sum.add(
                node.get("usdPerHour").decimalValue().multiply(node.get("count").decimalValue()));
      }
      assertThat(sum).isEqualByComparingTo(plan.get("usdPerHour").decimalValue());
      assertThat(sum).isLessThanOrEqualTo(new BigDecimal("3"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "paper, --max-price-per-hour 3",
    "paper-simulation, --max-price-per-hour 4 --mix",
    "snapshot, --max-price-per-hour 3",
    "snapshot, --max-price-per-hour 8 --place aws/us-* --mix"
  })
  void theCsvOfAListIsACatalogThatPlansAlike(String catalog, String options) throws IOException {
    String goal = "plan --output json " + options + " --catalog ";
    Path file = folder.resolve(catalog + ".csv");
    Files.writeString(
        file, run("catalog list --sort name --output csv --catalog " + catalog).out());
    assertThat(run(goal + file).out()).isEqualTo(run(goal + catalog).out());
  }

  @Test
  void aFilteredListIsASmallCatalog() throws IOException {
    Path file = folder.resolve("small.csv");
    Files.writeString(
        file, run("catalog list --place aws/us-east-1 --market spot --output csv").out());
    assertThat(run("catalog status --catalog " + file).out())
        .contains("Catalog 'small', prices of 2026-08-22, 10 days old.", "aws    2026-08-22 ")
        .doesNotContain("gcp");
    JsonNode offers = json(run("catalog list --output json --catalog " + file)).get("offers");
    assertThat(offers).isNotEmpty().allMatch(o -> o.get("market").asText().equals("spot"));
  }

  @Test
  void aListThatIsEmptyIsStillCsv() {
    Screen screen = run("catalog list --catalog paper --max-price 0.0001 --output csv");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out()).endsWith("\ncloud,region,instance_type,vcpus\n");
  }

  @ParameterizedTest
  @CsvSource({
    "price, PRICE/H ↑",
    "price-per-gpu, PRICE/GPU ↑",
    "name, TYPE ↑",
    "place, PLACE ↑",
    "gpu-memory, GPU MEMORY ↓"
  })
  void aListShowsTheColumnItIsSortedBy(String order, String heading) {
    String header =
        run("catalog list --gpu A100 --sort " + order).out().lines().findFirst().orElseThrow();
    assertThat(header).contains(heading).containsOnlyOnce(heading.substring(heading.length() - 1));
  }

  @Test
  void everyPlanAnnouncesOldPricesByCloud() throws IOException {
    String azure = "azure about 11 months (2025-09)";
    for (String more : List.of("", " --output json", " --output csv", " --explain")) {
      assertThat(run("plan --max-price-per-hour 3" + more).err())
          .as(more)
          .contains("Prices are old: %s. Refresh them".formatted(azure));
    }
    assertThat(run("plan --max-price-per-hour 0.001").err()).contains(azure);
    assertThat(run("plan --max-price-per-hour 3 --place aws").err()).doesNotContain("old");
    JsonNode snapshots =
        json(run("plan --max-price-per-hour 3 --output json")).at("/catalog/snapshots");
    assertThat(snapshots.get(1).toString()).isEqualTo("{\"cloud\":\"azure\",\"asOf\":\"2025-09\"}");
  }

  @Test
  void listFiltersSortsAndSaysHowManyMore() {
    String list = run("catalog list --catalog paper --market spot --max-price 0.2 --limit 2").out();
    assertThat(list.lines().skip(1).limit(2)).allMatch(l -> l.contains(" spot "));
    assertThat(list).contains("... and ");
    String all = run("catalog list --catalog paper --output csv").out();
    assertThat(all.lines().skip(1).count()).isGreaterThan(10);
  }

  @Test
  void listsTheGpusByNameAndStarAsAPlanDoes() {
    assertThat(run("catalog list --gpu t4,L4 --place aws/us-east-1 --limit 0").out())
        .contains("g4dn.xlarge", "g6.xlarge")
        .doesNotContain("A10G", "c5.xlarge");
    assertThat(run("catalog list --gpu none,T4 --place aws/us-east-1 --limit 0").out())
        .contains("g4dn.xlarge", "c5.xlarge")
        .doesNotContain("g6.xlarge");
    assertThat(run("catalog list --gpu A100* --place gcp --limit 0").out())
        .contains("a2-highgpu-1g", "a2-ultragpu-1g");
  }

  @Test
  void showListsWhatIsKnown() {
    assertThat(run("catalog show g4dn.xlarge --catalog paper").out())
        .contains("g4dn.xlarge on aws", "377 in the catalog's unit", "$0.1578", "$0.526");
  }

  @Test
  void statusSaysTheAge() throws IOException {
    JsonNode json = json(run("catalog status --catalog paper --output json"));
    assertThat(json.get("ageDays").asInt()).isPositive();
    assertThat(json.at("/clouds/0/cloud").asText()).isEqualTo("aws");
  }

  @Test
  void anImportedCatalogPlansAsItsSource() {
    Path copy = folder.resolve("copy.csv");
    Screen imported = run("catalog import paper --as-of 2024-01-02 --name copied --out " + copy);
    assertThat(imported.exitCode()).as(imported.err()).isEqualTo(Exit.DONE);
    assertThat(imported.err()).contains("written to");
    String plans = run("plan --max-price-per-hour 3 --output csv --catalog " + copy).out();
    assertThat(plans).isEqualTo(run(PLAN + " --output csv").out());
    assertThat(run("catalog status --catalog " + copy).out())
        .contains("Catalog 'copied', prices of 2024-01-02");
  }

  @Test
  void compareSweepsTheBudgets() {
    String csv = run("compare --catalog paper --to 3 --step 1 --output csv").out();
    List<String> rows = csv.lines().skip(1).toList();
    assertThat(rows).hasSize(4 * 6).allMatch(row -> row.split(",", -1).length == 8);
    assertThat(rows.get(0)).isEqualTo("0,cost-first,,,,,,");
    assertThat(rows).anyMatch(r -> r.contains("17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand"));
  }

  @Test
  void theChartHasTheSameBytesEachTimeAndOpens() throws IOException {
    String compare = "compare --catalog paper --to 4 --step 0.5 --chart ";
    Path first = folder.resolve("a.svg");
    Path second = folder.resolve("b.svg");
    assertThat(run(compare + first).exitCode()).isEqualTo(Exit.DONE);
    run(compare + second);
    assertThat(first).hasSameBinaryContentAs(second);
    assertThat(Files.readString(first))
        .contains("<svg", "Budget (US$ per hour)", "cost-first", "ours (throughput)")
        .contains("</svg>");

    Path picture = folder.resolve("c.png");
    run(compare + picture + " --metric speedup");
    assertThat(ImageIO.read(picture.toFile()).getWidth()).isEqualTo(1920);
  }

  @Test
  void reproductionHasTheAgreedColumns() {
    Screen screen = run("reproduce deepvm --output csv");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .startsWith("study,case,published,ours,relative_difference,note\ndeepvm,");
  }

  @Test
  void everyCommandHasHelpWithAnExampleThatParses() throws IOException {
    Path root = Path.of(System.getProperty("deepvm.root", ".."));
    for (DocumentedPage page : DocumentedPage.all(root)) {
      if (page.help()) {
        assertThat(run(page.name().replaceFirst("deepvm ", "")).exitCode()).isEqualTo(Exit.DONE);
        for (String example : page.lines()) {
          List<String> words = ShellLine.parse(example).steps().get(0).words();
          Main.commandLine(Terminal.ofProcess())
              .parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plan", "catalog", "catalog list"})
  void helpOfACommandIsItsHelpOption(String command) {
    Screen screen = run(("help " + command).strip());
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out()).isEqualTo(run((command + " --help").strip()).out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh"})
  void completionKnowsEveryCommandAndNoFormerName(String shell) {
    Screen screen = run("completion " + shell);
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .contains("complete -F _complete_deepvm")
        .contains("--max-price-per-hour", "--training-job", "price-per-gpu")
        .doesNotContain("--replay");
    leaves(Main.commandLine(Terminal.ofProcess()))
        .keySet()
        .forEach(name -> assertThat(screen.out()).contains(name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plan --max-price-per-hour 3 --catalog paper",
        "catalog list --gpu A100",
        "catalog status",
        "market list",
        "catalog show g4dn.xlarge"
      })
  void tablesKeepToSixtyColumns(String line) {
    Screen narrow = Screen.wide(60, line.split(" "));
    // sentences are broken by the terminal
    assertThat(narrow.out().lines().filter(l -> l.contains("  ") && !l.startsWith("-")))
        .isNotEmpty()
        .allMatch(l -> l.length() <= 60);
    assertThat(Screen.wide(200, line.split(" ")).out()).isEqualTo(run(line).out());
  }

  @Test
  void helpKeepsToSixtyColumns() {
    assertThat(Screen.wide(60, "plan", "--help").out().lines()).allMatch(l -> l.length() <= 60);
  }

  @Test
  void everyTextOfHelpIsAFormatThatPrintsWithoutAWarning() {
    for (CommandLine command : leaves(Main.commandLine(Terminal.ofProcess())).values()) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        if (option.userObject() instanceof Field field) {
          for (String text : field.getAnnotation(Option.class).description()) {
            assertThatCode(() -> String.format(text))
                .describedAs("%s", text)
                .doesNotThrowAnyException();
          }
        }
      }
    }
  }

  @Test
  void everyCommandThatPrintsResultsOffersThreeForms() {
    CommandLine all = Main.commandLine(Terminal.ofProcess());
    Map<String, CommandLine> leaves = leaves(all);
    // A service prints no results.
    assertThat(leaves.remove("anchor")).isNotNull();
    assertThat(leaves.remove("agent")).isNotNull();
    assertThat(leaves.remove("explore")).isNotNull();
    assertThat(leaves.remove("watch")).isNotNull();
    // They print files of other tools, and what a run has printed.
    assertThat(leaves.remove("export")).isNotNull();
    assertThat(leaves.remove("logs")).isNotNull();
    // The demo prints a story; two commands only act.
    assertThat(leaves.remove("demo")).isNotNull();
    assertThat(leaves.remove("token")).isNotNull();
    assertThat(leaves.remove("stop")).isNotNull();
    // These print help and scripts.
    assertThat(leaves.remove("help")).isNotNull();
    assertThat(leaves.remove("completion")).isNotNull();
    for (Map.Entry<String, CommandLine> command : leaves.entrySet()) {
      assertThat(command.getValue().getCommandSpec().findOption("--output"))
          .as(command.getKey())
          .isNotNull();
    }
  }

  private static Map<String, CommandLine> leaves(CommandLine command) {
    Map<String, CommandLine> leaves = new TreeMap<>();
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> {
              if (sub.getSubcommands().isEmpty()) {
                leaves.put(name, sub);
              } else {
                leaves.putAll(leaves(sub));
              }
            });
    return leaves;
  }

  private static Screen run(String line) {
    return Screen.run(line.split(" "));
  }

  private static JsonNode json(Screen screen) throws IOException {
    return new ObjectMapper().readTree(screen.out());
  }
}
