package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.deepvm.base.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class PeakMemoryTest {

  @TempDir Path folder;

  /** Writes a command that answers as nvidia-smi; the asking process holds 2 GiB. */
  private PeakMemory smi(String gpus) throws IOException {
    return smi("echo \"GPU-0, $PPID, 2048\"", gpus);
  }

  private PeakMemory smi(String apps, String gpus) throws IOException {
    Path file = folder.resolve("smi");
    Files.writeString(
        file,
        """
        #!/bin/sh
        case "$1" in
        *compute-apps*) %s; echo "GPU-0, 999999999, 5000"; echo "GPU-0, 7, [N/A]" ;;
        *) printf '%s' ;;
        esac
        """
            .formatted(apps, gpus));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return new PeakMemory(file.toString());
  }

  @Test
  void gpuMemoryOfOtherProcessesDoesNotCount() throws IOException {
    PeakMemory memory = smi("Tesla T4\\n");
    memory.sample(ProcessHandle.current());
    assertThat(memory.onOneGpu()).isEqualTo(new DataSize(2L << 30));
    assertThat(memory.gpus()).containsExactly("Tesla T4");
    assertThat(new ScriptProfiler(memory).machine()).isEqualTo("T4");
  }

  @Test
  void withoutADriverMainMemoryIsStillKnown() {
    PeakMemory memory = new PeakMemory(folder.resolve("none").toString());
    memory.sample(ProcessHandle.current());
    memory.sample(ProcessHandle.current());
    assertThat(memory.onOneGpu()).isNull();
    assertThat(memory.gpus()).isEmpty();
    DataSize main = Objects.requireNonNull(memory.inMainMemory());
    assertThat(main.bytes()).isGreaterThan(10_000_000);
  }

  @Test
  void memoryOfSeveralGpusIsThatOfTheFullest() throws IOException {
    PeakMemory memory =
        smi(
            "echo \"GPU-0, $PPID, 2048\"; echo \"GPU-1, $PPID, 3072\"",
            "NVIDIA A10G\\nNVIDIA A10G\\n");
    memory.sample(ProcessHandle.current());
    assertThat(memory.onOneGpu()).isEqualTo(new DataSize(3L << 30));
    assertThat(memory.gpusInUse()).isEqualTo(2);
  }

  @Test
  void oneGpuIsNoNameForAMeasurementOnSeveral() throws IOException {
    PeakMemory memory =
        smi(
            "echo \"GPU-0, $PPID, 2048\"; echo \"GPU-1, $PPID, 3072\"",
            "NVIDIA A10G\\nNVIDIA A10G\\n");
    memory.sample(ProcessHandle.current());
    ScriptProfiler profiler = new ScriptProfiler(memory);
    assertThat(catchThrowable(() -> profiler.gpus("A10G")))
        .hasMessageContaining("trained on 2 GPUs")
        .hasMessageContaining("the name of one GPU");
    assertThat(profiler.gpus("g5.12xlarge").count()).isEqualTo(4);
  }

  @Test
  void severalGpusMustBeNamed() throws IOException {
    PeakMemory memory = smi("NVIDIA A10G\\nNVIDIA A10G\\n");
    assertThat(catchThrowable(new ScriptProfiler(memory)::machine))
        .hasMessageContaining("2 x NVIDIA A10G");
  }
}
