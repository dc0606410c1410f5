package io.deepvm.workload.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScriptProfileTest {

  private static Job job(int gpus, List<String> more) {
    ScriptProfile profile =
        new ScriptProfile("python3 train.py", 100.0, 256.0, DataSize.ofGib(9), null);
    return JobFile.parse("job", profile.jobFile("g5.12xlarge", gpus, more));
  }

  @Test
  void batchOfAJobIsThatOfOneGpu() {
    assertThat(job(4, List.of()).profiles().batch()).isEqualTo(64);
    assertThat(job(1, List.of()).profiles().batch()).isEqualTo(256);
  }

  @Test
  void statedModelAndWorkAreInTheJob() {
    Job job =
        job(
            4,
            List.of(
                "model: {name: resnet50, parameters: 2.5e7}",
                "work: {samples: 1e6, flopPerSample: 2e10}"));

    assertThat(job.profiles().model()).isNotNull();
    assertThat(job.profiles().speeds().model()).isEqualTo("resnet50");
    assertThat(job.work()).isNotNull();
  }
}
