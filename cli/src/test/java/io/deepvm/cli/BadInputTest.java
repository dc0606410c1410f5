package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BadInputTest {

  private static final String COMPACT_ROW_NO_GPU =
      """
      {"instances": [{"name": "c5.xlarge", "type": "C", "ondemand_price": 0.17, "spot_price": 0.1,
      "vCPU": 4, "memory": 8, "network_bandwidth": 10}], "available_vcpus": {}}
      """;

  @TempDir Path folder;

  static Stream<Arguments> wrongOptions() {
    return Stream.of(
        arguments("", "Which command?"),
        arguments("plam", "Maybe you meant 'plan'."),
        arguments("catalog lst", "Maybe you meant 'list'."),
        arguments("catalog", "Which of list, show, import and status"),
        arguments("plan", "--max-price-per-hour"),
        arguments("plan --max-price-per-hour", "--max-price-per-hour"),
        arguments("plan --max-price-per-hour -3", "(-$3.00) must be above $0"),
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
        arguments("plan --max-price-per-hour 3 --anchor-slots NaN", "must be above 0"),
        arguments("plan --max-price-per-hour 3 --min-marginal-gain 1", "below 1"),
        arguments("plan --max-price-per-hour 3 --top 0", "at least 1"),
        arguments("plan --max-price-per-hour 3 --top many", "--top"),
        arguments("plan --max-price-per-hour 3 --place a/b/c/d", "'a/b/c/d' is not a place"),
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
        arguments("catalog list --limit -1", "must be at least 0"),
        arguments("catalog list --sort cheapest", "price-per-gpu"),
        arguments("catalog import", "FILE|FOLDER"),
        arguments("catalog import x.csv --out y.csv --as-of yesterday", "is not a day"),
        arguments("compare --catalog paper --from 5 --to 1", "swapped"),
        arguments("compare --catalog paper --step 0", "larger step"),
        arguments("compare --catalog paper --chart plot.pdf", "plot.pdf.svg"),
        arguments("compare --metric speed", "only speedup, nk, n2k"),
        arguments("plan --max-price-per-hour 3 --architecture averagin", "you meant 'averaging'."),
        arguments(
            "plan --max-price-per-hour 3 --architecture averaging",
            "lacks model.parameters, model.tensors, averaging.samplesPerSecond"),
        arguments("predict --architecture tiering --job a.yaml", "--cluster"),
        arguments("predict --architecture teering --job a.yaml --cluster b.yaml", "'tiering'"),
        arguments("reproduce multicloud --chart a.svg", "has no --chart"),
        arguments("reproduce multicloud --data nowhere", "nowhere"),
        arguments("reproduce skynomad --data nowhere", "nowhere"),
        arguments("reproduce deepvm --data nowhere", "has no --data"),
        arguments("reproduce", "STUDY"),
        arguments("run --plan p.json --notice-signal TERN", "Maybe you meant 'TERM'."),
        arguments("run --plan p.json --notice-signal SIGUSR7", "There is no signal 'SIGUSR7'."),
        arguments("run --plan p.json --silence long", "'long' is not a duration"),
        arguments("run --plan p.json --folder runs/my!run", "'my!run' is no name for a run"),
        arguments("run --plan p.json --zookeeper localhost", "'localhost' is not an address"),
        arguments("run --plan p.json --zookeeper 127.0.0.1:2181,", "'' is not an address"),
        arguments("run --plan p.json --zookeeper 127.0.0.1:0", "port 0"),
        arguments(
            "run --plan p.json --zookeeper 127.0.0.1:1",
            "No ZooKeeper answers at 127.0.0.1:1 within 10 s."),
        arguments("reproduce deepwm", "Maybe you meant 'deepvm'."));
  }

  @ParameterizedTest(name = "deepvm {0}")
  @MethodSource("wrongOptions")
  void isOneMessageAndAWayOut(String line, String message) {
    assertRefused(Screen.run(line.isEmpty() ? new String[0] : line.split(" ")), message);
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
