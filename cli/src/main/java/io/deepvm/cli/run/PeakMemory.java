package io.deepvm.cli.run;

import io.deepvm.base.DataSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The most memory that a process and its children held, on GPUs and in main memory. */
final class PeakMemory {

  private static final long MIB = 1 << 20;
  private static final long KIB = 1 << 10;
  private static final int PATIENCE_SECONDS = 5;

  private final String smi;
  private final Map<Long, Long> resident = new HashMap<>();
  private boolean hasGpus = true;
  private final Map<String, Long> cuda = new TreeMap<>();

  /** Takes the command that lists GPUs: {@code nvidia-smi}. */
  PeakMemory(String smi) {
    this.smi = smi;
  }

  /** Looks at a process and its children now. */
  void sample(ProcessHandle process) {
    Set<Long> pids =
        Stream.concat(Stream.of(process), process.descendants())
            .map(ProcessHandle::pid)
            .collect(Collectors.toSet());
    for (long pid : pids) {
      long peak = residentPeak(pid);
      if (peak > 0) {
        resident.merge(pid, peak, Math::max);
      }
    }
    if (hasGpus) {
      Map<String, Long> now = new HashMap<>();
      for (String line : ask("--query-compute-apps=gpu_uuid,pid,used_memory")) {
        String[] cells = line.split(",", -1);
        if (cells.length == 3
            && isNumber(cells[1])
            && isNumber(cells[2])
            && pids.contains(number(cells[1]))) {
          now.merge(cells[0].strip(), number(cells[2]) * MIB, Long::sum);
        }
      }
      now.forEach((gpu, bytes) -> cuda.merge(gpu, bytes, Math::max));
    }
  }

  /** Returns the peak on the fullest GPU, or null when no process was seen on any. */
  @Nullable DataSize onOneGpu() {
    return cuda.isEmpty() ? null : new DataSize(Collections.max(cuda.values()));
  }

  /** Returns on how many GPUs the processes were seen. */
  int gpusInUse() {
    return cuda.size();
  }

  /** Returns the sum of the processes' own peaks in main memory, or null where it is not known. */
  @Nullable DataSize inMainMemory() {
    long sum = resident.values().stream().mapToLong(bytes -> bytes).sum();
    return sum == 0 ? null : new DataSize(sum);
  }

  /** Returns the names of this machine's GPUs; none where it has none. */
  List<String> gpus() {
    return ask("--query-gpu=name");
  }

  private List<String> ask(String question) {
    try {
      Process process =
          new ProcessBuilder(smi, question, "--format=csv,noheader,nounits")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0) {
        return answer.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
      }
      process.destroyForcibly();
    } catch (IOException e) {
      hasGpus = false; // no driver here
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return List.of();
  }

  private static long residentPeak(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> KIB * number(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException | UncheckedIOException e) {
      return 0; // ended, or not Linux
    }
  }

  private static boolean isNumber(String cell) {
    return cell.strip().matches("\\d{1,15}");
  }

  private static long number(String cell) {
    return Long.parseLong(cell.strip());
  }
}
