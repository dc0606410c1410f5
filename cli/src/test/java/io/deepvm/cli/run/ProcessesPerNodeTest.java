package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.cli.options.PlanFile;
import io.deepvm.simulator.PlannedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessesPerNodeTest {

  @TempDir Path folder;

  /** Returns a plan of two p3.8xlarge and one of another type, which has these GPUs. */
  private PlannedRun plan(String type, String gpus) throws IOException {
    String worker =
        """
        {"cloud": "aws", "region": "us-east-1", "zone": null, "instanceType": "%s",
         "market": "spot", "count": %d, "usdPerHour": 1%s}""";
    Path file = folder.resolve("plan.json");
    Files.writeString(
        file,
        """
        {"schema": "deepvm/plans/v1", "plans": [{"rank": 1, "architecture": "tiering", "run": {
          "workers": [%s, %s], "anchors": 0, "anchorsUsdPerHour": 0, "speeds": [0.4, 0.7, 1],
          "checkpoint": {"bytes": 1, "stallSeconds": 0, "shipSeconds": 0, "restoreSeconds": 0,
            "justInTime": true, "objectStore": false, "intervalSeconds": 600}}}]}
        """
            .formatted(
                worker.formatted("p3.8xlarge", 2, ", \"gpus\": 4"),
                worker.formatted(type, 1, gpus)));
    return PlanFile.read(file, 1);
  }

  @Test
  void aNodeStartsAProcessForEachOfItsGpus() throws IOException {
    PlannedRun plan = plan("g4dn.xlarge", ", \"gpus\": 1");
    Map<String, Integer> each = ProcessesPerNode.of("gpu", plan);
    assertThat(each).isEqualTo(Map.of("p3.8xlarge", 4, "g4dn.xlarge", 1));
    assertThat(ProcessesPerNode.of("auto", plan)).isEqualTo(each);
    assertThat(ProcessesPerNode.total(each, plan)).isEqualTo(9);
  }

  @Test
  void aSliceOfAGpuCountsAsOne() throws IOException {
    assertThat(ProcessesPerNode.of("gpu", plan("NV6ads", ", \"gpus\": 0.1667")))
        .containsEntry("NV6ads", 1);
  }

  @Test
  void aNodeWithoutGpusStartsOneUnlessGpusAreAskedFor() throws IOException {
    PlannedRun plan = plan("c5.xlarge", ", \"gpus\": 0");
    assertThat(ProcessesPerNode.of("auto", plan)).containsEntry("c5.xlarge", 1);
    assertThatThrownBy(() -> ProcessesPerNode.of("gpu", plan))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("A c5.xlarge has no GPU");
  }

  @Test
  void anOlderPlanDoesNotSayAndIsToldApart() throws IOException {
    PlannedRun plan = plan("g4dn.xlarge", "");
    assertThat(ProcessesPerNode.of("auto", plan)).containsEntry("g4dn.xlarge", 1);
    assertThatThrownBy(() -> ProcessesPerNode.of("gpu", plan))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("does not say how many GPUs a g4dn.xlarge has");
  }

  @Test
  void aNumberHoldsForEveryNode() throws IOException {
    assertThat(ProcessesPerNode.of("2", plan("g4dn.xlarge", "")))
        .isEqualTo(Map.of("p3.8xlarge", 2, "g4dn.xlarge", 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1025", "cpu", "", "2.5", "99999999999"})
  void otherWordsAreRefused(String text) throws IOException {
    PlannedRun plan = plan("g4dn.xlarge", "");
    assertThatThrownBy(() -> ProcessesPerNode.of(text, plan))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'%s'".formatted(text));
  }
}
