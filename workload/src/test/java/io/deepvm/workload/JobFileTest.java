package io.deepvm.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.averaging.BuiltInTrainer;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Compression;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.Topology;
import io.deepvm.workload.parallel.Framework;
import io.deepvm.workload.parallel.Optimizer;
import io.deepvm.workload.parallel.TrainingSetup;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.TurnTaking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobFileTest {

  @TempDir Path folder;

  @Test
  void filesOfANodeAreRead() {
    Job job = JobFile.parse("job", "files: {dataSet: 150GB, from: aws/us-east-1, image: 8GB}");

    assertThat(job.files())
        .isEqualTo(
            new NodeFiles(
                DataSize.ofGb(150), new Place("aws", "us-east-1", null), DataSize.ofGb(8)));
    assertThatThrownBy(() -> JobFile.parse("job", "files: {from: somewhere}"))
        .hasMessageContaining("'somewhere' is no place");
  }

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
  void howItTrainsOnSeveralGpusIsRead() throws IOException {
    Job job =
        read(
            """
            training:
              optimizer: adam-8bit
              globalBatch: 1024
              activations: 90MB
              inputSamplesPerSecond: 8000
            """);
    assertThat(job.profiles().training())
        .isEqualTo(
            new TrainingSetup(
                Framework.PYTORCH,
                Optimizer.ADAM_8BIT,
                1024,
                DataSize.parse("90MB"),
                8000.0,
                true));
    assertThat(read("batch: 32").profiles().training()).isEqualTo(TrainingSetup.USUAL);
    assertThatThrownBy(() -> read("training: {optimizer: adamw}"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("training.optimizer: adamw, which is none of adam, adam-8bit, sgd");
    assertThatThrownBy(() -> read("training: {inputSamplesPerSecond: 0}"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("not a positive number");
  }

  @Test
  void workInEpochsIsThatManySamples() throws IOException {
    assertThat(read("work: {epochs: 90, samplesPerEpoch: 1.28e6, flopPerSample: 1.23e10}").work())
        .isEqualTo(read("work: {samples: 115.2e6, flopPerSample: 1.23e10}").work());
  }

  @Test
  void anAveragingProfileIsRead() throws IOException {
    Job job =
        read(
            """
            model: {parameters: 560.1e6, tensors: 394}
            batch: 32
            averaging:
              samplesPerSecond: {T4: 139.2, A10: 293.4}
              targetBatch: [32768, 8192]
              compression: int8
              topology: local-first
              streams: 4
              overlap: true
            """);
    assertThat(job.profiles().model()).isEqualTo(new ModelSize(560.1e6, 394));
    AveragingProfile profile = Objects.requireNonNull(job.profiles().averaging());
    assertThat(profile.samplesPerSecond()).containsEntry("T4", 139.2).containsEntry("A10", 293.4);
    assertThat(profile.microBatch()).isEqualTo(32);
    assertThat(profile.targetBatches()).containsExactly(8192, 32768);
    assertThat(profile.protocol())
        .isEqualTo(new Protocol(Compression.INT8, Topology.LOCAL_FIRST, 4, 5, true));
    assertThat(profile.coefficients()).isEqualTo(Coefficients.STUDY);
  }

  @Test
  void theBuiltInTrainersCostsAreRead() throws IOException {
    Job job =
        read(
            """
            averaging:
              samplesPerSecond: {T4: 139.2}
              microBatch: 16
              builtIn: {stepSeconds: 0.02, peerSeconds: 0, wire: 1.1}
            parameterServer:
              parameters: 11.5MB
              workerBandwidth: 100MB/s
              turns: {wire: 1.1, turnSeconds: 0.01, ownSeconds: 0}
              loss: {gamma1: 876.5, gamma2: -0.2, gamma3: 2507.6, floor: 0.5}
              workers: {T4: {batch: 100, samplesPerSecond: 100}}
            """);
    assertThat(Objects.requireNonNull(job.profiles().averaging()).protocol())
        .isEqualTo(Protocol.builtIn(Compression.FP32, new BuiltInTrainer(16, 0.02, 0, 1.1)));
    ParameterServerProfile servers =
        Objects.requireNonNull(job.profiles().parameterServer()).profile();
    assertThat(servers.turns()).isEqualTo(new TurnTaking(1.1, 0.01, 0));
    // Alone: 1 s an iteration, less two transfers of 1.1 * 0.115 s + 0.01 s.
    assertThat(Objects.requireNonNull(servers.gpus().get("T4")).computeSeconds())
        .isCloseTo(0.727, within(1e-9));
  }

  @Test
  void fittedCoefficientsReplaceTheStudys() throws IOException {
    Job job = read(coefficients("smallHost: 1.4, backbone: 9e-1, internet: 1.2"));
    assertThat(Objects.requireNonNull(job.profiles().averaging()).coefficients())
        .isEqualTo(Coefficients.STUDY.withFitted(0.02, 0.5, 0.2, 1.4, 0.9, 1.2, 4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "smallHost: 1.4, backbone: 0.9 | lacks averaging.coefficients.internet",
        "smallHost: 1.4, backbone: 0.9, internet: 1, crowding: 1 | coefficients.crowding",
        "smallHost: 1.4, backbone: -1, internet: 1 | backbone is -1.0, which is not a positive",
        "smallHost: 1.4, backbone: some, internet: 1 | not a number",
        "smallHost: 0.5, backbone: 1, internet: 1 | small hosts were faster",
      })
  void coefficientsThatAreWrongAreRefused(String some, String message) {
    assertThatThrownBy(() -> read(coefficients(some)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining(message);
  }

  private static String coefficients(String some) {
    return """
        averaging:
          samplesPerSecond: {T4: 139.2}
          microBatch: 32
          coefficients:
            {secondsPerMillionParameters: 0.02, secondsPerHundredTensors: 0.5,
            secondsPerHundredTensorsAndPeer: 0.2, matchmakingSharpness: 4, %s}
        """
        .formatted(some);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model: {tensors: 3} | lacks model.parameters",
        "model: {parameters: -1} | not a positive number",
        "model: {parameters: 1, tensors: 2.5} | not a whole number from 1 up",
        "batch: 0 | not a whole number from 1 up",
        "averaging: {microBatch: 1} | lacks averaging.samplesPerSecond",
        "averaging: {samplesPerSecond: {T4: 1}} | lacks averaging.microBatch",
        "averaging: {samplesPerSecond: {T4: fast}, microBatch: 1} | not a number",
        "averaging: {samplesPerSecond: {T4: 1}, microBatch: 1, compression: fp61} | fp32, fp16",
        "averaging: {samplesPerSecond: {T4: 1}, microBatch: 1, targetBatch: []} | target batch",
        "averaging: {samplesPerSecond: {T4: 1}, microBatch: 1, overlap: maybe} | true, false",
        "averaging: {samplesPerSecnd: {T4: 1}} | unknown key 'averaging.samplesPerSecnd'",
      })
  void aProfileThatIsWrongIsRefused(String yaml, String message) {
    assertThatThrownBy(() -> read(yaml)).isInstanceOf(BadInput.class).hasMessageContaining(message);
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
          work: {flop: -1} | work.flop: -1.0, which is not above 0
          work: {flop: 1e9, utilisation: 7} | utilisation 7
          work: {samples: 5} | work.flopPerSample
          work: {epochs: 5, flopPerSample: 1e9} | work.samplesPerEpoch
          work: {samplesPerEpoch: 5, flopPerSample: 1e9} | work.epochs
          work: {epochs: 5, samplesPerEpoch: 5} | work.flopPerSample
          work: {epochs: -5, samplesPerEpoch: -5, flopPerSample: 1e9} | work.epochs
          work: {epochs: 5, samplesPerEpoch: 5, samples: 25, flopPerSample: 1e9} | work.samples
          work: {epochs: 5, samplesPerEpoch: 5, flop: 1e9} | work.flop
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

  @Test
  void aProfileOfAnotherModelIsNoticed() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    model: {parameters: 560e6}
                    parameterServer: {parameters: 11.5MB, workerBandwidth: 1GB/s, pcie: 1GB/s}
                    """))
        .isInstanceOfSatisfying(
            BadInput.class, e -> assertThat(e.wayOut()).contains("another model"));
  }

  private Job read(String yaml) throws IOException {
    return JobFile.read(Files.writeString(folder.resolve("job.yaml"), yaml));
  }
}
