package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTracesTest {

  private static final ReadOptions NONE = ReadOptions.NONE;

  @TempDir Path folder;

  @Test
  void noughtsAndOnesAloneAreNeverGuessed() throws IOException {
    Path file =
        file("us-east-1a_v100_1.json", "{\"metadata\":{\"gap_seconds\":195},\"data\":[0,1]}");
    assertThatThrownBy(() -> Markets.load(file.toString()))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("does not say whether 1 means available");
    assertThat(one(file, NONE.with(Polarity.AVAILABLE)).available()).containsExactly(0, 1);
    assertThat(one(file, NONE.with(Polarity.PREEMPTED)).available()).containsExactly(1, 0);
    ReadOptions named = new ReadOptions("spot-traces", null, null, null, null);
    assertThat(one(file, named).available()).containsExactly(0, 1);
  }

  @Test
  void whatIsCountedCanOnlyBeAvailable() throws IOException {
    Path file =
        file("us-east-2a_v100_1.json", "{\"metadata\":{\"gap_seconds\":300},\"data\":[4,null,0]}");
    Recording read = Markets.load(file.toString());
    Trace trace = read.traces().get(0);
    assertThat(trace.available()).containsExactly(4, Trace.UNKNOWN, 0);
    assertThat(trace.asked()).isEqualTo(4);
    assertThat(trace.start()).isNull();
    assertThat(trace.pool()).hasToString("aws/us-east-2/us-east-2a p3.2xlarge");
    assertThat(read.assumptions())
        .anyMatch(a -> a.contains("1 means an available node"))
        .contains("v100_1 on aws is p3.2xlarge.");
    assertThatThrownBy(() -> one(file, NONE.with(Polarity.PREEMPTED)))
        .hasMessageContaining("preempted or not is 1 or 0");
  }

  @Test
  void simulatorsFilesAreToldByTheirMetadataAndTurned() throws IOException {
    file(
        "us-east4-a_h100_16/full.json",
        """
            {"metadata": {"gap_seconds": 600, "start_time": "2025-10-04T00:10:00.002281+00:00",
             "price_info": {"machine_type": "a3-highgpu-8g", "price": 14.5, "on_demand_price": 82.5,
             "components": [{"label": "cpu", "price": 1}]}}, "data": [0, 0, 1]}
            """);
    Trace trace = Markets.load(folder.toString()).traces().get(0);
    assertThat(trace.available()).containsExactly(1, 1, 0);
    assertThat(trace.spotUsdPerHour()).containsExactly(14.5, 14.5, 14.5);
    assertThat(trace.onDemandUsdPerHour()).isEqualTo(82.5);
    assertThat(trace.start()).isEqualTo(Instant.parse("2025-10-04T00:10:00.002281Z"));
    assertThat(trace.tick()).isEqualTo(Duration.ofMinutes(10));
    assertThat(trace.pool()).hasToString("gcp/us-east4/us-east4-a a3-highgpu-8g");
    assertThat(Markets.load(folder.resolve("us-east4-a_h100_16").toString()).traces()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata\":{\"gap_seconds\":300},\"data\":[]}",
        "{\"metadata\":{\"gap_seconds\":300},\"data\":[2,-1]}",
        "{\"metadata\":{\"gap_seconds\":300},\"data\":[2,0.5]}",
        "{\"metadata\":{\"gap_seconds\":300},\"data\":[2,\"up\"]}",
        "{\"metadata\":{\"gap_seconds\":300},\"data\":[2,1],\"prices\":[1]}",
        "{\"metadata\":{\"gap_seconds\":0},\"data\":[2,1]}",
        "{\"metadata\":{\"gap_seconds\":300},\"data\":[2,1]",
        "{\"metadata\":{\"gap_seconds\":300}}",
        "{\"metadata\":{\"gap_seconds\":300},\"data\":{\"a\":1}}",
      })
  void whatIsNoTraceIsRefused(String text) throws IOException {
    Path file = file("us-east-1a_v100_1.json", text);
    assertThatThrownBy(() -> Markets.load(file.toString()))
        .isInstanceOf(BadInput.class)
        .hasMessageMatching("(?s).*(us-east-1a).*");
  }

  @Test
  void aZoneNobodyKnowsIsRefused() throws IOException {
    Path file = file("mars_v100_1.json", "{\"metadata\":{\"gap_seconds\":300},\"data\":[2]}");
    assertThatThrownBy(() -> Markets.load(file.toString())).hasMessageContaining("'mars'");
  }

  @Test
  void thePublicTracesAndTheirSimulatorsTwinsAgree() {
    String zone = "us-east-1c_v100_1";
    Trace available =
        one(
            Path.of(
                Shared.path("data/traces/availability/1-node/aws-02-15-2023/" + zone + ".json")),
            NONE.with(Polarity.AVAILABLE));
    Trace preempted = one(Path.of(Shared.path("data/skynomad/v100/" + zone)), NONE);
    assertThat(preempted.available()).isEqualTo(available.available());
    assertThat(preempted.pool()).isEqualTo(available.pool());
    assertThat(preempted.spotUsdPerHour()).hasSize(20158).startsWith(1.2054);
    assertThat(Markets.load(Shared.path("data/skynomad/h100")).assumptions())
        .contains("The source itself filled 60 ticks in a gap, which stay as they are.");
  }

  @Test
  void foldersSayHowManyWereAskedFor() {
    Recording read = Markets.load(Shared.path("data/traces/preemption/4-node/aws-08-03-2023"));
    assertThat(read.traces()).hasSize(2).allMatch(trace -> trace.asked() == 4);
    Recording prices =
        Markets.load(
            Shared.path("data/traces/preemption/1-node/aws-04-19-2023"),
            NONE.with(Polarity.AVAILABLE));
    assertThat(prices.traces().get(0).pool().instanceType()).isEqualTo("intel_64");
    assertThat(prices.traces().get(0).spotUsdPerHour()[0]).isEqualTo(1.2754);
  }

  private static Trace one(Path path, ReadOptions options) {
    return Markets.load(path.toString(), options).traces().get(0);
  }

  private Path file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.resolveSibling("."));
    return Files.writeString(file, text);
  }
}
