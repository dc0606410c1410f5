package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Kills a real process at its n-th write, fsync, rename or deletion, for every n of one save. The
 * calls are counted for each thread, so each n is the end of the first thread that comes to it.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SyscallKillIT {

  private static final String JOB = CrashingTrainer.JOB;
  private static final int KILLED = 137;

  /** More calls than one save makes. */
  private static final int MOST = 500;

  @TempDir Path folder;

  private long durable;

  @BeforeAll
  static void needsStrace() throws InterruptedException {
    assumeTrue(
        run(List.of("strace", "-f", "-o", "/dev/null", "true")) == 0,
        "strace cannot trace here; maybe 'apt install strace', or allow ptrace.");
  }

  private static int run(List<String> command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  private Path store() {
    return folder.resolve("store");
  }

  /** Saves once, killed at the n-th of these calls, and returns the exit code. */
  private int save(String calls, int n) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "strace",
                "-f",
                "-qq",
                "-o",
                folder.resolve("trace").toString(),
                "-e",
                "trace=" + calls,
                "-e",
                "inject=%s:signal=KILL:when=%d".formatted(calls, n),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                OneSave.class.getName(),
                store().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        assertThat(line).startsWith("DURABLE ");
        durable = Math.max(durable, Long.parseLong(line.substring("DURABLE ".length())));
      }
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Checks that every listed version is its step's state, and none is lost that was durable. */
  private void check(String what) throws IOException {
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, store());
    Checkpoints checkpoints = new Checkpoints(List.of(disk), 1);
    Checkpoints.Listing listing = checkpoints.list(JOB);
    assertThat(listing.problems()).as(what).isEmpty();
    long newest = 0;
    for (Checkpoints.Listed listed : listing.checkpoints()) {
      Version version = listed.version();
      List<Slice> found = States.zeros(OneSave.model());
      checkpoints.restore(version, manifest -> found);
      assertThat(OneSave.isStep(version.step(), found)).as("%s %s", what, version).isTrue();
      newest = Math.max(newest, version.step());
    }
    assertThat(newest).as(what).isGreaterThanOrEqualTo(durable);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          write,pwrite64 | 4
          fsync,fdatasync | 5
          rename,renameat,renameat2 | 3
          unlink,unlinkat,rmdir | 3
          mkdir,mkdirat | 1
          """)
  void aKillAtAnyCallLosesNothingDurable(String calls, int least) throws Exception {
    Files.createDirectories(store());
    // so many that each save has one to delete
    for (int i = 0; i < 3; i++) {
      assertThat(save(calls, MOST)).isZero();
    }
    Path prepared = folder.resolve("prepared");
    assertThat(run(List.of("cp", "-a", store().toString(), prepared.toString()))).isZero();
    long before = durable;
    int n = 1;
    for (int exit = KILLED; exit == KILLED; n++) {
      assertThat(n).as("Every call seems to be the last.").isLessThan(MOST);
      // A store with one more version needs more calls, so each save begins with the same store.
      assertThat(run(List.of("rm", "-rf", store().toString()))).isZero();
      assertThat(run(List.of("cp", "-a", prepared.toString(), store().toString()))).isZero();
      durable = before;
      exit = save(calls, n);
      assertThat(exit).as("%s %d", calls, n).isIn(KILLED, 0);
      check("killed at %s %d".formatted(calls, n));
    }
    // the last of these runs was not killed, and there were as many calls as one save makes
    assertThat(n - 2).as(calls).isGreaterThanOrEqualTo(least);
    assertThat(durable).isPositive();
  }
}
