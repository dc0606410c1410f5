package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.places.ssh.HostFacts;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshHosts;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostChecksTest {

  private static final long NOW = 1_800_000_000;
  private static final Clock CLOCK = Clock.fixed(Instant.ofEpochSecond(NOW), ZoneOffset.UTC);
  private static final SshHost HOST =
      new SshHost(
          "big",
          new SshHost.Login("10.0.0.7", "me", 22, null, null, null),
          null,
          ".cache/deepvm",
          "T4",
          1);

  private static String machine() {
    String arch = System.getProperty("os.arch");
    return arch.equals("amd64") ? "x86_64" : arch;
  }

  private static SshHosts.Answer<HostFacts> facts(
      String libc, long clockOff, long freeMib, int gpus, String lacks, String busy) {
    HostFacts facts =
        new HostFacts(machine(), libc, NOW + clockOff, freeMib << 10, 4, gpus, lacks, busy);
    return new SshHosts.Answer<>(HOST, facts, null);
  }

  @Test
  void aGoodHostHasNoFinding() {
    assertThat(HostChecks.judge(facts("glibc 2.36", 1, 9_000, 1, "", "no"), CLOCK)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "glibc 2.36, 3600, 9000, 1, '', no, its clock is 3600 s ahead",
    "glibc 2.36, -3600, 9000, 1, '', no, its clock is 3600 s behind",
    "glibc 2.36, 0, 3, 1, '', no, its disk has 3 MiB free at .cache/deepvm",
    "other, 0, 9000, 1, '', no, it has no glibc (other)",
    "glibc 2.36, 0, 9000, 0, '', no, 'it has 0 GPUs, and the hosts file says 1'",
    "glibc 2.36, 0, 9000, 1, flock tar, no, it lacks flock tar",
    "glibc 2.36, 0, 9000, 1, '', run-1/n1, another run trains on it: run-1/n1",
  })
  void aBadHostIsOneSentenceThatNamesIt(
      String libc, long off, long freeMib, int gpus, String lacks, String busy, String problem) {
    HostChecks.Finding finding =
        Objects.requireNonNull(
            HostChecks.judge(facts(libc, off, freeMib, gpus, lacks, busy), CLOCK));
    assertThat(finding.problem()).startsWith("big (me@10.0.0.7:22): " + problem).endsWith(".");
    assertThat(finding.problem().lines()).hasSize(1);
    assertThat(finding.wayOut()).startsWith("Maybe ");
  }

  @Test
  void everyBadHostIsNamed() {
    List<SshHosts.Answer<HostFacts>> answers =
        List.of(
            facts("glibc 2.36", 3600, 9_000, 1, "", "no"),
            facts("glibc 2.36", 0, 9_000, 1, "", "no"),
            facts("glibc 2.36", 0, 3, 1, "", "no"));
    assertThatThrownBy(() -> HostChecks.require(answers, CLOCK))
        .isInstanceOf(BadInput.class)
        .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines()).hasSize(2));
  }
}
