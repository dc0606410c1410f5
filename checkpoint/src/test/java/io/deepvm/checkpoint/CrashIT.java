package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.Level;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that die at every step of the protocol and at random instants. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CrashIT {

  private static final String JOB = CrashingTrainer.JOB;

  @TempDir Path folder;

  private Process start(String point, int passing) throws IOException {
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            classes,
            CrashingTrainer.class.getName(),
            folder.toString(),
            point,
            Integer.toString(passing))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private Checkpoints checkpoints() {
    return new Checkpoints(List.of(new DirectoryTier("disk", Level.DURABLE, folder)), 2);
  }

  /** Returns the durable step that a line reports; any other line is a failure of the trainer. */
  private static long durable(String line) {
    assertThat(line).matches("DURABLE \\d+ \\[]");
    return Long.parseLong(line.substring("DURABLE ".length(), line.indexOf(" [")));
  }

  /** Checks that all that is listed restores to its step, and that nothing durable was lost. */
  private void check(String what, long lastDurable) throws IOException {
    for (boolean cleaned : new boolean[] {false, true}) {
      Checkpoints checkpoints = checkpoints();
      if (cleaned) {
        assertThat(checkpoints.gc(JOB).inUse()).as(what).isEmpty();
      }
      Checkpoints.Listing listing = checkpoints.list(JOB);
      assertThat(listing.problems()).as(what).isEmpty();
      List<Version> versions = new ArrayList<>();
      for (Checkpoints.Listed listed : listing.checkpoints()) {
        versions.add(listed.version());
        List<Slice> found = States.zeros(CrashingTrainer.model());
        checkpoints.restore(listed.version(), manifest -> found);
        assertThat(CrashingTrainer.isStep(listed.version().step(), found))
            .as("%s: %s", what, listed.version())
            .isTrue();
      }
      if (lastDurable > 0) {
        assertThat(versions).as(what).isNotEmpty();
        assertThat(versions.get(0).step()).as(what).isGreaterThanOrEqualTo(lastDurable);
      }
    }
  }

  @Test
  void aCrashAtAnyStepLosesNothingDurable() throws Exception {
    Random random = new Random(20261115);
    long lastDurable = 0;
    for (FaultPoint point : FaultPoint.values()) {
      for (int passing : new int[] {1, 2 + random.nextInt(6)}) {
        Process process = start(point.name(), passing);
        try (BufferedReader lines = process.inputReader()) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            lastDurable = Math.max(lastDurable, durable(line));
          }
        } finally {
          process.destroyForcibly();
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("%s", point).isEqualTo(137);
        check(point + " " + passing, lastDurable);
      }
    }
    assertThat(lastDurable).isPositive();
  }

  @Test
  void aKillAtAnyInstantLosesNothingDurable() throws Exception {
    Random random = new Random(20261115);
    long lastDurable = 0;
    for (int run = 0; run < 8; run++) {
      Process process = start("none", 0);
      try (BufferedReader lines = process.inputReader()) {
        for (int line = random.nextInt(4); line >= 0; line--) {
          lastDurable = Math.max(lastDurable, durable(lines.readLine()));
        }
        // cleaning up beside a process that writes takes nothing from it
        checkpoints().gc(JOB);
        // any instant will do: the wait decides where in the protocol the kill falls
        LockSupport.parkNanos(random.nextInt(30_000_000));
        // by its handle, which leaves the stream open: what it said last counts
        assertThat(process.toHandle().destroyForcibly()).isTrue();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.contains("]")) {
            lastDurable = Math.max(lastDurable, durable(line));
          }
        }
      } finally {
        process.destroyForcibly();
      }
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      check("run " + run, lastDurable);
    }
  }
}
