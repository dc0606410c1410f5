package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import io.deepvm.market.Markets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the market commands on the built-in traces and on small files. */
class MarketCommandsTest {

  private static final String PLAIN =
      """
      time,place,instance_type,available
      2023-03-01T00:00:00Z,aws/us-east-1/us-east-1a,g4dn.xlarge,4
      2023-03-01T01:00:00Z,aws/us-east-1/us-east-1a,g4dn.xlarge,
      2023-03-01T02:00:00Z,aws/us-east-1/us-east-1a,g4dn.xlarge,2
      """;

  @TempDir Path folder;

  @Test
  void statsTellHowMuchTheMarketGives() throws IOException {
    Screen screen = run("market stats gcp-h100-2025-10");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.err()).isEmpty();
    assertThat(screen.out())
        .contains("all nodes 39.4 %, some 31.9 %, none 28.7 %")
        .contains("Together 43 to 164 nodes, median 114")
        .contains("SkyNomad");
    JsonNode json = json(run("market stats aws-v100-2023-02 --output json"));
    assertThat(json.get("schema").asText()).isEqualTo("deepvm/market-stats/v1");
    assertThat(json.get("pools")).hasSize(3);
    assertThat(json.at("/pools/0/upShare").asDouble()).isCloseTo(9404 / 20158.0, within(1e-12));
    assertThat(json.at("/together/correlation/pairs")).hasSize(3);
    assertThat(run("market stats aws-v100-2023-02 --output csv").out().lines()).hasSize(4);
  }

  @Test
  void statsOfAPriceHistoryHaveThePricesBetweenTwoTicks() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("prices.csv"),
            """
            time_utc,instance_type,zone_id,region,on_demand_usd_h,spot_usd_h
            2025-01-01T00:00Z,g5.xlarge,use1-az1,us-east-1,4,1
            2025-01-01T03:00Z,g5.xlarge,use1-az1,us-east-1,4,3
            2025-01-01T06:00Z,g5.xlarge,use1-az1,us-east-1,4,1
            2025-01-02T00:00Z,g5.xlarge,use1-az1,us-east-1,4,1
            """);
    for (String tick : new String[] {"12h", "1h"}) {
      Screen screen =
          Screen.run("market", "stats", file.toString(), "--tick", tick, "--output", "json");
      JsonNode price = json(screen).at("/pools/0/spotUsdPerHour");
      assertThat(price.get("min").asDouble()).isEqualTo(1);
      assertThat(price.get("mean").asDouble()).isEqualTo(1.25);
      assertThat(price.get("max").asDouble()).isEqualTo(3);
    }
  }

  @Test
  void theSameTracesGiveTheSameBytesInAnyLocale() {
    String usual = run("market fit aws-v100-2023-02 --survive 4h").out();
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG"));
      assertThat(run("market fit aws-v100-2023-02 --survive 4h").out()).isEqualTo(usual);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void fitAnswersHowLikelyNodesLast() throws IOException {
    JsonNode json = json(run("market fit gcp-h100-2025-10 --nodes 8 --survive 4h --output json"));
    assertThat(json.get("schema").asText()).isEqualTo("deepvm/market-fit/v1");
    JsonNode up = json.at("/fits/0");
    assertThat(up.get("allNodesLast").asDouble()).isEqualTo(1);
    assertThat(up.get("oneNodeLastsLow").asDouble()).isLessThan(up.get("oneNodeLasts").asDouble());
    assertThat(up.at("/models/0/family").asText()).isEqualTo("log-normal");
    assertThat(run("market fit aws-v100-2023-02 --output csv").out())
        .startsWith("place,instance_type,state");
  }

  @Test
  void convertFillsGapsAndPricesAndWritesWhatCanBeReadAgain() throws IOException {
    Path file = Files.writeString(folder.resolve("plain.csv"), PLAIN);
    Path out = folder.resolve("out.csv.gz");
    Screen screen =
        Screen.run(
            "market",
            "convert",
            file.toString(),
            "--out",
            out.toString(),
            "--gap",
            "last",
            "--catalog",
            "snapshot",
            "--nodes",
            "8");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.err()).contains("Assumed: One tick is 3600.0 s.", "1 traces written");
    var trace = Markets.load(out.toString()).traces().get(0);
    assertThat(trace.available()).containsExactly(8, 8, 4);
    assertThat(trace.onDemandUsdPerHour()).isEqualTo(0.526);
    assertThat(trace.spotUsdPerHour()).hasSize(3);
    assertRefused(
        Screen.run("market", "convert", file.toString(), "--out", out.toString()),
        "exists already");
  }

  @ParameterizedTest
  @ValueSource(strings = {"table", "json", "csv"})
  void theListNamesSourceAndLicence(String format) {
    assertThat(run("market list --output " + format).out())
        .contains("gcp-h100-2025-10", "aws-v100-2023-02", "Apache-2.0", "SkyNomad");
  }

  static Stream<Arguments> wrongOptions() {
    return Stream.of(
        arguments("market", "Which of list, stats, convert and fit"),
        arguments("market stat", "Maybe you meant 'stats'."),
        arguments("market stats", "TRACES"),
        arguments("market stats gcp-h100-2025-1", "Maybe you meant 'gcp-h100-2025-10'."),
        arguments("market stats gcp-h100-2025-10 --polarity up", "available, preempted"),
        arguments("market stats gcp-h100-2025-10 --tick 0s", "'0s' is not above 0"),
        arguments("market stats gcp-h100-2025-10 --tick 900d", "no tick"),
        arguments("market fit gcp-h100-2025-10 --nodes 17 --survive 1h", "asked for 16 nodes"),
        arguments("market fit gcp-h100-2025-10 --survive 0s", "'0s' is not above 0"),
        arguments("market fit gcp-h100-2025-10 --nodes 0", "'0' is not a whole number from 1"),
        arguments("market stats gcp-h100-2025-10 --format foo", "no trace format 'foo'"),
        arguments(
            "market convert gcp-h100-2025-10 --out x.csv --start 2020-01-01T00:00:00Z",
            "say themselves when they began"),
        arguments("market convert gcp-h100-2025-10 --out x.csv --gap guess", "unavailable"),
        arguments("market convert gcp-h100-2025-10 --out x.csv --start noon", "'noon'"),
        arguments("market convert gcp-h100-2025-10", "--out"),
        arguments("market convert gcp-h100-2025-10 --out nowhere/x.csv", "nowhere"));
  }

  @ParameterizedTest(name = "deepvm {0}")
  @MethodSource("wrongOptions")
  void badInputIsOneMessageAndAWayOut(String line, String message) {
    assertRefused(run(line), message);
  }

  @Test
  void filesWithoutPolarityOrFormatAreRefused() throws IOException {
    Path bare =
        Files.writeString(
            folder.resolve("us-east-1a_v100_1.json"),
            "{\"metadata\":{\"gap_seconds\":195},\"data\":[0,1]}");
    assertRefused(Screen.run("market", "stats", bare.toString()), "whether 1 means available");
    assertRefused(
        Screen.run("market", "stats", bare.toString(), "--format", "skynomat"), "skynomat");
    Path other = Files.writeString(folder.resolve("x.csv"), "a,b\n1,2\n");
    assertRefused(Screen.run("market", "stats", other.toString()), "no trace format");
    Path zipped = Files.write(folder.resolve("y.csv.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0, 1});
    assertRefused(Screen.run("market", "stats", zipped.toString()), "y.csv.gz");
  }

  private static void assertRefused(Screen screen, String message) {
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.out()).isEmpty();
    assertThat(screen.err()).contains(message).doesNotContain("\tat ");
    assertThat(screen.err().lines().reduce((a, b) -> b).orElseThrow()).startsWith("Maybe");
  }

  private static Screen run(String line) {
    return Screen.run(line.split(" "));
  }

  private static JsonNode json(Screen screen) throws IOException {
    return new ObjectMapper().readTree(screen.out());
  }
}
