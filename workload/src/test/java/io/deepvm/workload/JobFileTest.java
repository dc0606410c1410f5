package io.deepvm.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.catalog.Precision;
import io.deepvm.units.BadInput;
import io.deepvm.units.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobFileTest {

  @TempDir Path folder;

  @Test
  void everyKeyIsRead() throws IOException {
    Job job =
        read(
            """
            name: resnet50
            precision: tf32
            gpuMemory: 12GB
            checkpoint: 300MB
            work:
              samples: 115e6
              flopPerSample: 1.23e10
              utilisation: 0.4
            scaling:
              assumed: {serialShare: 0.05}
              measured:
                g4dn.xlarge: {a: 0.13, b: 12.9, c: 6.2}
                A10G: {speedups: {1: 1, 2: 1.9, 4: 3.5}}
            """);
    assertThat(job.name()).isEqualTo("resnet50");
    assertThat(job.precision()).isEqualTo(Precision.TF32);
    assertThat(job.gpuMemory()).isEqualTo(DataSize.ofGb(12));
    assertThat(job.checkpoint()).isEqualTo(DataSize.ofGb(0.3));
    assertThat(job.work()).isEqualTo(new Work(115e6 * 1.23e10, 0.4, 115e6));
    assertThat(job.scaling().assumed()).isEqualTo(new ScalingCurve.Amdahl(0.05));
    assertThat(job.scaling().measured())
        .containsEntry("g4dn.xlarge", new ScalingCurve.Logistic(0.13, 12.9, 6.2))
        .containsKey("A10G");
  }

  @Test
  void whatIsNotStatedStaysUnknown() throws IOException {
    Job job = read("name: small\n");
    assertThat(job.work()).isNull();
    assertThat(job.gpuMemory()).isNull();
    assertThat(job.scaling()).isEqualTo(Scaling.UNMEASURED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          chekpoint: 3GB | checkpoint
          work: {sample: 3} | samples
          work: {flop: many} | work.flop: many
          work: {flop: -1} | positive
          work: {flop: 1e9, utilisation: 7} | utilisation 7
          work: {samples: 5} | work.flopPerSample
          checkpoint: 3 | no unit
          precision: fp17 | fp16
          scaling: {measured: {T4: {a: 1, b: 2}}} | scaling.measured.T4.c
          scaling: {measured: {T4: {speedups: {two: 2}}}} | two
          scaling: {assumed: {serialShare: 2}} | between 0 and 1
          name: [ | line 1
          3 | no keys
          """)
  void whatIsWrongIsNamedWithAWayOut(String yaml, String named) {
    assertThatThrownBy(() -> read(yaml))
        .isInstanceOfSatisfying(
            BadInput.class,
            e -> {
              assertThat(e.getMessage() + " " + e.wayOut()).contains(named);
              assertThat(e.wayOut()).startsWith("Maybe");
            });
  }

  private Job read(String yaml) throws IOException {
    return JobFile.read(Files.writeString(folder.resolve("job.yaml"), yaml));
  }
}
