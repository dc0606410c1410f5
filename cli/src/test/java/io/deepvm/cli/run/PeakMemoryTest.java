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
    Path file = folder.resolve("smi");
    Files.writeString(
        file,
        """
        #!/bin/sh
        case "$1" in
        *compute-apps*) echo "$PPID, 2048"; echo "999999999, 5000"; echo "7, [N/A]" ;;
        *) printf '%s' ;;
        esac
        """
            .formatted(gpus));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return new PeakMemory(file.toString());
  }

  @Test
  void gpuMemoryOfOtherProcessesDoesNotCount() throws IOException {
    PeakMemory memory = smi("Tesla T4\\n");
    memory.sample(ProcessHandle.current());
    assertThat(memory.onGpus()).isEqualTo(new DataSize(2L << 30));
    assertThat(memory.gpus()).containsExactly("Tesla T4");
    assertThat(new ScriptProfiler(memory).machine()).isEqualTo("T4");
  }

  @Test
  void withoutADriverMainMemoryIsStillKnown() {
    PeakMemory memory = new PeakMemory(folder.resolve("none").toString());
    memory.sample(ProcessHandle.current());
    memory.sample(ProcessHandle.current());
    assertThat(memory.onGpus()).isNull();
    assertThat(memory.gpus()).isEmpty();
    DataSize main = Objects.requireNonNull(memory.inMainMemory());
    assertThat(main.bytes()).isGreaterThan(10_000_000);
  }

  @Test
  void severalGpusMustBeNamed() throws IOException {
    PeakMemory memory = smi("NVIDIA A10G\\nNVIDIA A10G\\n");
    assertThat(catchThrowable(new ScriptProfiler(memory)::machine))
        .hasMessageContaining("2 x NVIDIA A10G");
  }
}
