package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvTracesTest {

  private static final ReadOptions H100 = ReadOptions.NONE.withInstanceType("a3-highgpu-1g");

  @TempDir Path folder;

  @Test
  void countsAreResampledAndMissingRoundsAreGaps() throws IOException {
    Path file =
        file(
            """
            scheduled_at,us-east4-a,us-east4-b
            2025-10-03T17:10:00.002281-07:00,16,3
            2025-10-03T17:20:00.103952-07:00,9,
            2025-10-03T17:49:59.902971-07:00,0,2
            2025-10-03T18:00:00.002971-07:00,0,1
            """);
    Recording read = Markets.load(file.toString(), H100);
    Trace first = read.traces().get(0);
    assertThat(first.start()).isEqualTo(Instant.parse("2025-10-04T00:10:00Z"));
    assertThat(first.tick()).isEqualTo(Duration.ofMinutes(10));
    assertThat(first.available()).containsExactly(16, 9, -1, -1, 0, 0);
    assertThat(read.traces().get(1).available()).containsExactly(3, -1, -1, -1, 2, 1);
    assertThat(read.traces()).allMatch(trace -> trace.asked() == 16);
    assertThat(read.assumptions()).contains("One tick is 600.0 s.", "2 of 6 ticks are gaps.");
    assertThatThrownBy(() -> Markets.load(file.toString()))
        .hasMessageContaining("does not say of which machine");
  }

  @Test
  void aPlainTableIsEnough() throws IOException {
    Path file =
        file(
            """
            time,place,instance_type,available
            2026-01-01T00:00:00+01:00,aws/us-east-1,g5.xlarge,2
            2026-01-01T00:00:00+01:00,gcp/us-east4/us-east4-a,g2-standard-4,1
            2026-01-01T00:05:00+01:00,aws/us-east-1,g5.xlarge,0
            2026-01-01T00:05:00+01:00,gcp/us-east4/us-east4-a,g2-standard-4,
            """);
    Recording read = Markets.load(file.toString());
    assertThat(read.traces()).hasSize(2);
    assertThat(read.traces().get(0).available()).containsExactly(2, 0);
    assertThat(read.traces().get(0).start()).isEqualTo(Instant.parse("2025-12-31T23:00:00Z"));
    assertThat(read.traces().get(0).spotUsdPerHour()).isEmpty();
    assertThat(read.traces().get(1).available()).containsExactly(1, Trace.UNKNOWN);
    assertThatThrownBy(() -> read.market(GapRule.REFUSE)).hasMessageContaining("gap at tick 1");
    assertThatThrownBy(() -> read.market(GapRule.LAST)).hasMessageContaining("lacks the");
  }

  @Test
  void aTableSaysItselfWhatItCounts() throws IOException {
    Path file =
        file("time,place,instance_type,available\n0,aws/us-east-1,g5,1\n9,aws/us-east-1,g5,0\n");
    assertThatThrownBy(
            () -> Markets.load(file.toString(), ReadOptions.NONE.with(Polarity.PREEMPTED)))
        .hasMessageContaining("counts available nodes");
    assertThat(Markets.load(file.toString(), ReadOptions.NONE.with(Polarity.AVAILABLE)).traces())
        .hasSize(1);
  }

  @Test
  void rowsThatGiveWayAreToldOf() throws IOException {
    Path file =
        file(
            """
            # a comment: of ours
            # tick-seconds: 600
            time,place,instance_type,available
            0,aws/us-east-1,g5.xlarge,1
            200,aws/us-east-1,g5.xlarge,3
            600,aws/us-east-1,g5.xlarge,2
            """);
    Recording read = Markets.load(file.toString());
    assertThat(read.traces().get(0).available()).containsExactly(3, 2);
    assertThat(read.assumptions())
        .contains("Of several rows in one tick the last holds; 1 gave way.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "# deepvm market v1\n# tick-second: 9\ntime,place,instance_type,available\n0,aws/a,g5,1\n",
        "time,place,instance_type,available\n",
        "time,place,instance_type,available\n0,aws/us-east-1,g5,-2\n600,aws/us-east-1,g5,1\n",
        "time,place,instance_type,available\n0,aws/us-east-1,g5,1.5\n600,aws/us-east-1,g5,1\n",
        "time,place,instance_type,available\n0,mars,g5,1\n600,mars,g5,1\n",
        "time,place,instance_type,available\n600,aws/us-east-1,g5,1\n0,aws/us-east-1,g5,1\n",
        "time,place,instance_type,available\n0,aws/us-east-1,g5,1\n",
        "time,place,instance_type,available\nnoon,aws/us-east-1,g5,1\n1,aws/us-east-1,g5,1\n",
        "time,place,instance_type,available\n2026-01-01T00:00:00,aws/us-east-1,g5,1\n",
        "time,place,instance_type\n0,aws/us-east-1,g5\n",
        "time,place,instance_type,available,prize\n0,aws/us-east-1,g5,1,2\n",
        "time,place,instance_type,available\n0,aws/us-east-1,g5\n",
        "# deepvm market v2\ntime,place,instance_type,available\n0,aws/us-east-1,g5,1\n",
        "# tick-seconds: -1\ntime,place,instance_type,available\n0,aws/us-east-1,g5,1\n",
        "what,is,this\n1,2,3\n",
        "",
      })
  void badTablesAreRefused(String text) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> Markets.load(file.toString())).isInstanceOf(BadInput.class);
  }

  @Test
  void anEndlessLineAndAnEndlessFileAreRefused() throws IOException {
    Path line = folder.resolve("line.csv");
    Files.writeString(
        line, "time,place,instance_type,available\n" + "x".repeat(1 << 20) + ",a,b,c\n");
    assertThatThrownBy(() -> Markets.load(line.toString())).isInstanceOf(BadInput.class);

    Path bomb = folder.resolve("bomb.csv.gz");
    byte[] comments = "#\n".repeat(1 << 19).getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(bomb))) {
      out.write("time,place,instance_type,available\n".getBytes(StandardCharsets.UTF_8));
      for (int mebibyte = 0; mebibyte <= 64; mebibyte++) {
        out.write(comments);
      }
    }
    assertThatThrownBy(() -> TextSource.of(bomb).bounded(32 << 20).open().transferTo(nowhere()))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("more than 32 MiB");
  }

  private static Writer nowhere() {
    return Writer.nullWriter();
  }

  @Test
  void pricesAreReadByZoneIdAndHoldUntilTheNextSample() throws IOException {
    Path file =
        file(
            """
            time_utc,instance_type,zone_id,region,on_demand_usd_h,spot_usd_h
            2022-12-02T00:00Z,p3.2xlarge,use1-az1,us-east-1,3.06,1.0
            2022-12-02T00:00Z,p3.2xlarge,use1-az2,us-east-1,3.06,
            2022-12-02T12:00Z,p3.2xlarge,use1-az2,us-east-1,3.06,2.0
            2022-12-03T00:00Z,p3.2xlarge,use1-az1,us-east-1,3.06,1.5
            2022-12-03T00:00Z,p3.2xlarge,use1-az1,us-east-1,3.06,
            """);
    PriceHistory history = Markets.priceHistory(file);
    Pool one = new Pool(Zones.parse("aws/us-east-1/use1-az1"), "p3.2xlarge");
    Pool byName = new Pool(Zones.parse("aws/us-east-1/us-east-1a"), "p3.2xlarge");
    assertThat(history.spotUsdPerHour(one, Instant.parse("2022-12-02T23:59:59Z"))).isEqualTo(1.0);
    assertThat(history.spotUsdPerHour(one, Instant.parse("2022-12-03T00:00:00Z"))).isEqualTo(1.5);
    assertThat(history.spotUsdPerHour(one, Instant.parse("2022-12-01T00:00:00Z"))).isNull();
    assertThat(history.spotUsdPerHour(byName, Instant.parse("2022-12-02T01:00:00Z")))
        .isEqualTo(1.0);
    assertThat(history.spotUsdPerHour(byName, Instant.parse("2022-12-02T13:00:00Z")))
        .isEqualTo(1.5);
    Trace trace = Markets.load(file.toString()).traces().get(1);
    assertThat(trace.available()).containsOnly(Trace.UNKNOWN);
    assertThat(Arrays.stream(trace.spotUsdPerHour()).filter(p -> !Double.isNaN(p)))
        .containsExactly(2.0);
  }

  @Test
  void theWholePriceHistoryIsRead() {
    PriceHistory history =
        Markets.priceHistory(Path.of(Shared.path("data/prices/aws_gpu_spot_history.csv.gz")));
    assertThat(history.pools()).hasSizeGreaterThan(500);
    Pool pool = new Pool(Zones.parse("aws/us-east-1/use1-az2"), "p3.2xlarge");
    assertThat(history.spotUsdPerHour(pool, Instant.parse("2023-02-10T08:00:00Z")))
        .isEqualTo(1.3289);
    assertThat(history.onDemandUsdPerHour(pool, Instant.parse("2023-02-10T08:00:00Z")))
        .isEqualTo(3.06);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("traces.csv"), text);
  }
}
