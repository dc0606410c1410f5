package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cli.console.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BadInputTest {

  private static final String COMPACT_ROW_NO_GPU =
      """
      {"instances": [{"name": "c5.xlarge", "type": "C", "ondemand_price": 0.17, "spot_price": 0.1,
      "vCPU": 4, "memory": 8, "network_bandwidth": 10}], "available_vcpus": {}}
      """;

  private static final String ANCHOR = "checkpoint anchor --listen 127.0.0.1:0 --memory 8MB ";

  @TempDir Path folder;

  static Stream<Arguments> wrongOptions() {
    return Stream.of(
        arguments("", "Which command?"),
        arguments("plam", "Maybe you meant 'plan'."),
        arguments("catalog lst", "Maybe you meant 'list'."),
        arguments("catalog", "Which of list, show, import, refresh and status"),
        arguments("plan", "--max-price-per-hour, --max-cost or --deadline"),
        arguments("plan --deadline 8h", "Maybe give --job with a file that has 'work:'"),
        arguments("plan --max-cost 40", "Maybe give --job with a file that has 'work:'"),
        arguments("plan --max-price-per-hour 3 --market spto", "Maybe you meant 'spot'."),
        arguments(
            "plan --max-price-per-hour 3 --market on-demand --architecture tiering",
            "Maybe --architecture single-anchor"),
        arguments(
            "plan --max-price-per-hour 3 --catalog paper --compat paper --market any", "--market"),
        arguments(
            "plan --deadline 8h --catalog paper --compat paper",
            "Maybe add --max-price-per-hour 3"),
        arguments("plan --max-price-per-hour", "--max-price-per-hour"),
        arguments("plan --max-price-per-hour -3", "-$3.00 is less than nothing"),
        arguments("plan --max-price-per-hour 0", "($0.00) must be above $0"),
        arguments("plan --max-price-per-hour NaN", "'NaN' is not an amount of dollars"),
        arguments("plan --max-price-per-hour 1e400", "more money than can be counted"),
        arguments("plan --max-price-per-hour three", "'three' is not an amount of dollars"),
        arguments("plan --max-price-per-hour 3 --objectiv cost", "Maybe you meant '--objective'."),
        arguments("plan --max-price-per-hour 3 --objective thruput", "only flopp, throughput"),
        arguments("plan --max-price-per-hour 3 --objective tim", "Maybe you meant 'time'."),
        arguments("plan --max-price-per-hour 3 --output jsn", "Maybe you meant 'json'."),
        arguments("plan --max-price-per-hour 3 --precision fp17", "Maybe you meant 'fp16'."),
        arguments("plan --max-price-per-hour 3 --checkpoint-size 500", "'500' has no unit"),
        arguments("plan --max-price-per-hour 3 --deadline soon", "'soon' is not a duration"),
        arguments("plan --max-price-per-hour 3 --anchor-slots 0", "must be above 0"),
        arguments("plan --max-price-per-hour 3 --anchor-slots NaN", "'NaN' is not a number"),
        arguments("plan --max-price-per-hour 3 --anchor-slots abc", "'abc' is not a number"),
        arguments("plan --max-price-per-hour 3 --anchor-slots 2e9", "at most 1,000,000"),
        arguments(
            "plan --max-price-per-hour 3 --checkpoint-interval 0s",
            "--checkpoint-interval: '0s' is not above 0"),
        arguments("plan --max-price-per-hour 3 --trace foo", "nothing without --confidence"),
        arguments("plan --max-price-per-hour 3 --runs 10", "nothing without --confidence"),
        arguments("plan --max-price-per-hour 3 --top 2.5", "'2.5' is not a whole number"),
        arguments("plan --max-price-per-hour 3 --top 3000000000", "from 0 to 2147483647"),
        arguments("plan --max-price-per-hour 3 --min-marginal-gain 1", "below 1"),
        arguments("plan --max-price-per-hour 3 --top 0", "at least 1"),
        arguments("plan --max-price-per-hour 3 --top many", "--top"),
        arguments("plan --max-price-per-hour 3 --place a/b/c/d", "'a/b/c/d' is not a place"),
        arguments("plan --max-price-per-hour 3 --gpu T4,A10H", "Maybe you meant 'A10'."),
        arguments("plan --max-price-per-hour 3 --exclude g4nd.xlarge", "'g4dn.xlarge'."),
        arguments("plan --max-price-per-hour 3 --vendor nvdia", "Maybe you meant 'nvidia'."),
        arguments(
            "plan --max-price-per-hour 3 --place us-east-1",
            "Maybe you meant aws/us-east-1 or lambda/us-east-1."),
        arguments("plan --max-price-per-hour 3 extra", "no argument 'extra'"),
        arguments("plan --max-price-per-hour 3 --catalog papper", "Maybe you meant 'paper'."),
        arguments(
            "plan --max-price-per-hour 3 --catalog paper --place aws/us-esat-1",
            "Maybe you meant 'aws/us-east-1'."),
        arguments(
            "plan --max-price-per-hour 3 --catalog paper --architecture teering",
            "Maybe you meant 'tiering'."),
        arguments("plan --max-price-per-hour 3 --catalog paper --objective cost", "work"),
        arguments(
            "plan --max-price-per-hour 3 --catalog paper --compat artifact --mix",
            "knows nothing of --mix"),
        arguments("plan --max-price-per-hour 3 --job nowhere.yaml", "nowhere.yaml"),
        arguments("plan --max-price-per-hour 3 --quotas nowhere.yaml", "nowhere.yaml"),
        arguments("catalog show g4dn.xlrge --catalog paper", "Maybe you meant 'g4dn.xlarge'."),
        arguments("catalog list --limit -1", "'-1' is not a whole number from 0"),
        arguments("catalog list --max-price -1", "-$1.00 is less than nothing"),
        arguments("catalog list --sort cheapest", "price-per-gpu"),
        arguments("catalog import", "FILE|FOLDER"),
        arguments("catalog import x.csv --out y.csv --as-of yesterday", "is not a day"),
        arguments("catalog import paper --out nowhere/m.csv", "'nowhere/m.csv' cannot be written"),
        arguments("compare --catalog paper --from 5 --to 1", "swapped"),
        arguments("compare --catalog paper --step 0", "larger step"),
        arguments("compare --catalog paper --chart plot.pdf", "plot.pdf.svg"),
        arguments("compare --catalog paper --chart nowhere/x.svg", "'nowhere/x.svg' cannot be"),
        arguments("compare --metric speed", "only speedup, nk, n2k"),
        arguments("simulate --interval 0s", "--interval: '0s' is neither a duration above 0 nor"),
        arguments("simulate --interval younk-daly", "Maybe you meant 'young-daly'."),
        arguments("simulate --timeline nowhere/x.svg", "'nowhere/x.svg' cannot be written"),
        arguments("simulate --start-tick 3", "--start-tick means nothing without --compat"),
        arguments("simulate --compat artifact --chart x.svg", "--chart means nothing with"),
        arguments(
            "simulate --compat artifact --trace aws-v100-2023-02 --hours 1 --deadline 9h"
                + " --place mars",
            "The market 'aws-v100-2023-02' has nothing in 'mars'"),
        arguments("run --plan pom.xml --max-restarts -1", "--max-restarts: '-1' is not a whole"),
        arguments("profile --time 0s", "--time: '0s' is not above 0"),
        arguments("profile --write-job nowhere/job.yaml", "'nowhere/job.yaml' cannot be written"),
        arguments("fit contention pom.xml --alone 0MB/s --servers 1GB/s", "'0MB/s' is not above 0"),
        arguments("checkpoint agent --to pom.xml", "'pom.xml' cannot be a folder"),
        arguments("checkpoint agent --to nowhere --memory 0GB", "'0GB' is not above 0"),
        arguments("checkpoint agent --to nowhere --token-file none", "'none' does not exist"),
        arguments(ANCHOR + "--disk pom.xml", "'pom.xml' cannot be a folder"),
        arguments(ANCHOR + "--disk pom.xml/x", "is a file"),
        arguments(ANCHOR + "--disk nowhere --archive pom.xml", "'pom.xml' cannot be a folder"),
        arguments(
            ANCHOR.replace("8MB", "900TB") + "--disk nowhere",
            "(900 TB) is more than this process may have"),
        arguments("plan --max-price-per-hour 3 --architecture averagin", "you meant 'averaging'."),
        arguments(
            "plan --max-price-per-hour 3 --architecture averaging",
            "lacks model.parameters, model.tensors, averaging.samplesPerSecond"),
        arguments(
            "predict --architecture tiering", "Maybe --job FILE, or --model resnet50 --gpu A100."),
        arguments("predict --architecture teering --job pom.xml --cluster pom.xml", "'tiering'"),
        arguments("reproduce multicloud --chart a.svg", "has no --chart"),
        arguments("reproduce multicloud --data nowhere", "nowhere"),
        arguments("reproduce skynomad --data nowhere", "nowhere"),
        arguments("reproduce deepvm --data nowhere", "has no --data"),
        arguments("reproduce", "STUDY"),
        arguments("run --plan p.json --notice-signal TERN", "Maybe you meant 'TERM'."),
        arguments("run --plan p.json --notice-signal SIGUSR7", "There is no signal 'SIGUSR7'."),
        arguments("run", "--plan FILE or --on ssh:FILE"),
        arguments("run --plan p.json --workdir .", "--workdir is for a run on hosts."),
        arguments("run --on moon", "'moon' is no place that DeepVM can use"),
        arguments("run --on ssh:pom.xml --speed 2", "--speed is for a run by a plan"),
        arguments("run --on ssh:nowhere.yaml", "The hosts file nowhere.yaml cannot be read"),
        arguments("places", "Which of check and leftovers?"),
        arguments("places check ssh:pom.xml", "is not"),
        arguments("run --plan p.json --silence long", "'long' is not a duration"),
        arguments("run --plan p.json --folder runs/my!run", "'my!run' is no name for a run"),
        arguments("help plaan", "Maybe you meant 'plan'."),
        arguments("help catalog lst", "'deepvm catalog' has no command 'lst'."),
        arguments("completion fish", "There is no shell 'fish', only bash, zsh."),
        arguments("completion", "bash|zsh"),
        arguments("catalog list --sort prise", "Maybe you meant 'price'."),
        arguments("reproduce deepwm", "Maybe you meant 'deepvm'."));
  }

  @ParameterizedTest(name = "deepvm {0}")
  @MethodSource("wrongOptions")
  void isOneMessageAndAWayOut(String line, String message) {
    assertRefused(Screen.run(line.isEmpty() ? new String[0] : line.split(" ")), message);
  }

  @ParameterizedTest(name = "deepvm {0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          simulate --plan FOLDER                              | is a folder, not a file
          simulate --chart FOLDER                             | is a folder, not a file
          run --plan FOLDER                                   | is a folder, not a file
          fit scaling FOLDER                                  | is a folder, not a file
          checkpoint agent --to FOLDER --token-file FOLDER    | is a folder, not a file
          checkpoint ls --store FOLDER --name typo            | keeps no checkpoint named 'typo'
          checkpoint gc --store FOLDER --name typo            | keeps no checkpoint named 'typo'
          checkpoint verify --store FOLDER --name typo        | keeps no checkpoint named 'typo'
          checkpoint restore --store FOLDER --name typo --out FOLDER/r | keeps no checkpoint
          checkpoint restore --store anchor:127.0.0.1:1 --name j --out FOLDER/r | cannot be asked
          """)
  void whatIsNotThereIsRefusedAndNothingIsWritten(String line, String message) {
    assertRefused(Screen.run(line.replace("FOLDER", folder.toString()).split(" ")), message);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aMisspeltNameOfACheckpointIsRefusedWithTheNearest() throws IOException {
    try (DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder)) {
      tier.claim("resnet", Claim.of(1));
    }
    assertRefused(
        Screen.run("checkpoint", "verify", "--store", folder.toString(), "--name", "resnat"),
        "Maybe you meant 'resnet'.");
  }

  @Test
  void anAgentIsRefusedMoreMemoryThanIsThere() {
    String socket = folder.resolve("own/agent.sock").toString();
    assertRefused(
        Screen.run(
            "checkpoint",
            "agent",
            "--to",
            folder.toString(),
            "--memory",
            "900TB",
            "--socket",
            socket),
        "no room for 900 TB");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          name: [1, 2]                                        | name: [1,2], which is not one value
          gpuMemory: 12                                       | gpuMemory: '12' has no unit
          checkpoint: -3MB                                    | checkpoint: '-3MB' is not a data size
          precision: fp7                                      | precision: fp7, which is none of
          work: {flop: 1e18, utilisation: 3}                  | work: The utilisation 3.0
          work: {samples: -5, flopPerSample: 1e9}             | work.samples: -5.0, which is not above 0
          scaling: {assumed: {serialShare: 2}}                | scaling.assumed.serialShare: The
          scaling: {assumed: {speedups: {}}}                  | no speed-up in scaling.assumed
          scaling: {measured: {g4dn.xlrge: {serialShare: 0.1}}} | Maybe you meant 'g4dn.xlarge'.
          model: {parameters: -1}                             | model: The
          parameterServer: {parameters: 11, workerBandwidth: 1Gbps} | parameterServer.parameters: '11'
          """)
  void aJobFileThatIsWrongIsNamedWithTheKey(String yaml, String message) throws IOException {
    Path job = Files.writeString(folder.resolve("job.yaml"), yaml + "\n");
    Screen screen = plan("--catalog", "paper", "--job", job.toString());
    assertRefused(screen, message);
    assertThat(screen.err()).containsAnyOf("The job file " + job, "scaling.measured");
  }

  @Test
  void aRunOfABadJobLeavesNothingBehind() throws IOException {
    Path plan = folder.resolve("plan.json");
    Files.writeString(
        plan,
        Screen.run("plan", "--max-price-per-hour", "1", "--catalog", "paper", "--output", "json")
            .out());
    Path job = Files.writeString(folder.resolve("bad.yaml"), "name: x\nstrategi: none\n");
    Path run = folder.resolve("run");
    assertRefused(
        Screen.run(
            "run",
            "--plan",
            plan.toString(),
            "--hours",
            "1",
            "--job",
            job.toString(),
            "--folder",
            run.toString()),
        job.toString());
    assertThat(run).doesNotExist();
  }

  @Test
  void anAnswerWithoutAPlanIsSaidToBeOne() throws IOException {
    Path plan = folder.resolve("plan.json");
    Files.writeString(
        plan,
        Screen.run("plan", "--max-price-per-hour", "0.01", "--catalog", "paper", "--output", "json")
            .out());
    assertRefused(Screen.run("simulate", "--plan", plan.toString()), "holds no plan: ");
  }

  @Test
  void anEmptyCatalogIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("empty.json"), "{\"instances\": []}");
    assertRefused(plan("--catalog", file.toString()), "");
  }

  @Test
  void aCatalogWithoutAnyGpuIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("cpus.json"), COMPACT_ROW_NO_GPU);
    assertRefused(plan("--catalog", file.toString()), "GPU");
  }

  @Test
  void duplicateOffersAreRefused() throws IOException {
    String twice = COMPACT_ROW_NO_GPU.replaceFirst("\\[(\\{[^}]*\\})\\]", "[$1, $1]");
    Path file = Files.writeString(folder.resolve("twice.json"), twice);
    assertRefused(plan("--catalog", file.toString()), "c5.xlarge");
  }

  @Test
  void unknownKeysAreRefusedWithTheNearest() throws IOException {
    Path job = Files.writeString(folder.resolve("job.yaml"), "name: x\nprecison: fp16\n");
    assertRefused(plan("--catalog", "paper", "--job", job.toString()), "precision");
    Path catalog =
        Files.writeString(
            folder.resolve("typo.json"), COMPACT_ROW_NO_GPU.replace("spot_price", "spot_prise"));
    assertRefused(plan("--catalog", catalog.toString()), "spot_price");
  }

  @Test
  void aQuotaOfZeroIsRefused() throws IOException {
    Path quotas =
        Files.writeString(
            folder.resolve("quotas.yaml"),
            "quotas:\n  - {place: aws, families: [g], market: spot, vcpus: 0}\n");
    assertRefused(plan("--catalog", "paper", "--quotas", quotas.toString()), "0 spot vCPUs");
  }

  @Test
  void importNeverOverwritesUnasked() throws IOException {
    Path target = Files.writeString(folder.resolve("precious.csv"), "mine");
    assertRefused(
        Screen.run("catalog", "import", "paper", "--out", target.toString()), "exists already");
    assertThat(target).hasContent("mine");
  }

  @Test
  void aRefusedImportWritesNothing() throws IOException {
    Path bad = Files.writeString(folder.resolve("bad.csv"), "what,is,this\n1,2,3\n");
    assertRefused(
        Screen.run(
            "catalog", "import", bad.toString(), "--out", folder.resolve("new.csv").toString()),
        "bad.csv");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.toList()).isEqualTo(List.of(bad));
    }
  }

  @Test
  void theTraceIsShownOnlyWhenAskedFor() {
    assertThat(Screen.run("plan", "--max-price-per-hour", "x").err()).doesNotContain("\tat ");
    assertThat(Screen.runTraced("plan", "--max-price-per-hour", "x").err()).contains("\tat ");
  }

  private static Screen plan(String... more) {
    return Screen.run(
        Stream.concat(Stream.of("plan", "--max-price-per-hour", "3"), Stream.of(more))
            .toArray(String[]::new));
  }

  private static void assertRefused(Screen screen, String message) {
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.out()).isEmpty();
    assertThat(screen.err()).contains(message).doesNotContain("\tat ", "Exception");
    assertThat(screen.err().lines().toList()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(screen.err().lines().reduce((a, b) -> b).orElseThrow()).startsWith("Maybe");
  }
}
