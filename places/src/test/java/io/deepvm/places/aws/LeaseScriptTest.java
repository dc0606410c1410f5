package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script that ends a machine, with a {@code shutdown} that only notes its call. The script's
 * pause between two looks ends it, so that each test is one look.
 */
class LeaseScriptTest {

  private static final long BOOT = 1_000_000_000;
  private static final long LATER = Long.MAX_VALUE / 2;

  @TempDir private Path folder;

  @BeforeEach
  void tools() throws IOException {
    Files.createDirectory(folder.resolve("bin"));
    tool("sleep", ": >\"$CALLS/looked\"; kill $PPID");
    tool("shutdown", "echo \"$@\" >\"$CALLS/shutdown\"; exit ${FAIL:-0}");
    tool("poweroff", "echo \"$@\" >\"$CALLS/poweroff\"");
    try (InputStream in = UserData.class.getResourceAsStream("lease.sh")) {
      Files.copy(Objects.requireNonNull(in), folder.resolve("lease.sh"));
    }
  }

  private void tool(String name, String text) throws IOException {
    Path file = folder.resolve("bin").resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private static long up() throws IOException {
    return (long) Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0]);
  }

  private void lease(long until) throws IOException {
    Path node = Files.createDirectories(folder.resolve("runs/r/nodes/n1"));
    Files.writeString(node.resolve("lease"), until + "\n");
  }

  /** Lets the script look once. */
  private void look(long most, long bootBy, long endBy, Map<String, String> environment)
      throws Exception {
    List<String> line = new ArrayList<>(List.of("sh", folder.resolve("lease.sh").toString()));
    line.add(folder.toString());
    for (long number : new long[] {BOOT, 120, 0, most, bootBy, endBy}) {
      line.add(Long.toString(number));
    }
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    builder.environment().put("CALLS", folder.toString());
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("looked")).exists();
  }

  @Test
  void aMachineThatBootsIsLeftAlone() throws Exception {
    look(LATER, LATER, LATER, Map.of());
    assertThat(folder.resolve("shutdown")).doesNotExist();
  }

  @Test
  void aMachineThatNobodyReachedInTimeEnds() throws Exception {
    look(LATER, 1, LATER, Map.of());
    assertThat(folder.resolve("shutdown")).hasContent("-h now");
  }

  @Test
  void aRenewedLeaseKeepsAMachineBeyondItsBoot() throws Exception {
    lease(up() + 100);
    look(LATER, 1, LATER, Map.of());
    assertThat(folder.resolve("shutdown")).doesNotExist();
  }

  @Test
  void aMachineEndsAfterItsLease() throws Exception {
    lease(1);
    look(LATER, 1, LATER, Map.of());
    assertThat(folder.resolve("shutdown")).hasContent("-h now");
  }

  @Test
  void noLeaseKeepsAMachineBeyondTheEndOfTheRun() throws Exception {
    lease(up() + 100);
    look(LATER, LATER, 1, Map.of());
    assertThat(folder.resolve("shutdown")).hasContent("-h now");
  }

  @Test
  void noLeaseKeepsAMachineBeyondItsLongestLife() throws Exception {
    lease(up() + 100);
    look(0, LATER, LATER, Map.of());
    assertThat(folder.resolve("shutdown")).hasContent("-h now");
  }

  @Test
  void aMachineThatCannotShutDownIsSwitchedOff() throws Exception {
    look(LATER, 1, LATER, Map.of("FAIL", "1"));
    assertThat(folder.resolve("poweroff")).hasContent("-f");
  }
}
