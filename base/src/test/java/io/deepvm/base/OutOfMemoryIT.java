package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutOfMemoryIT {

  /** Runs out of memory in a thread or a watchdog, and would wait for ever. */
  static final class Service {

    private Service() {}

    public static void main(String[] args) throws Exception {
      OutOfMemory.endsThisProcess();
      if (args[0].equals("thread")) {
        DaemonThreads.of("hungry", Service::eat).start();
      } else {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        new Watchdog("hungry", Service::eat).every(Duration.ofMillis(1), timer);
      }
      Thread.sleep(Duration.ofHours(1).toMillis());
    }

    private static void eat() {
      List<byte[]> food = new ArrayList<>();
      while (food.size() < Integer.MAX_VALUE) {
        food.add(new byte[1 << 20]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"thread", "watchdog"})
  void aServiceThatWasStartedWithoutTheOptionEndsWhenTheMemoryRunsOut(String where)
      throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx16m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Service.class.getName(),
                where)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the process has ended").isTrue();
      assertThat(process.exitValue()).isEqualTo(OutOfMemory.EXIT_CODE);
    } finally {
      process.destroyForcibly();
    }
  }
}
