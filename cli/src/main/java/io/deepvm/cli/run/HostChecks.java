package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.places.ssh.HostFacts;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshHosts;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges whether hosts can train, from what they say of themselves. */
public final class HostChecks {

  private static final long MOST_CLOCK_SECONDS = 60;
  private static final long LEAST_FREE_KIB = 1L << 20;

  private HostChecks() {}

  /**
   * What is wrong with a host.
   *
   * @param problem a sentence that names the host
   */
  public record Finding(String problem, String wayOut) {}

  /** Returns what is wrong with a host; null if it can train. */
  public static @Nullable Finding judge(SshHosts.Answer<HostFacts> answer, Clock clock) {
    HostFacts facts = answer.value();
    if (answer.problem() != null) {
      return new Finding(String.valueOf(answer.problem().getMessage()), answer.problem().wayOut());
    }
    if (facts == null) {
      throw new IllegalStateException("A host answers or has a problem.");
    }
    SshHost host = answer.host();
    long off = facts.nowSeconds() - clock.millis() / 1000;
    String here = machine();
    if (!facts.lacks().isEmpty()) {
      return finding(host, "it lacks " + facts.lacks(), "Maybe install the missing tools there.");
    } else if (!facts.machine().equals(here)) {
      return finding(
          host,
          "it is a %s, and this machine is a %s".formatted(facts.machine(), here),
          "Maybe start the run from a machine like the hosts.");
    } else if (!facts.libc().startsWith("glibc")) {
      return finding(
          host, "it has no glibc (%s)".formatted(facts.libc()), "Maybe use a glibc Linux.");
    } else if (Math.abs(off) > MOST_CLOCK_SECONDS) {
      return finding(
          host,
          "its clock is %d s %s".formatted(Math.abs(off), off > 0 ? "ahead" : "behind"),
          "Maybe let NTP set it: timedatectl set-ntp true.");
    } else if (facts.freeKib() < LEAST_FREE_KIB) {
      return finding(
          host,
          "its disk has %d MiB free at %s, and DeepVM needs %d"
              .formatted(facts.freeKib() >> 10, host.folder(), LEAST_FREE_KIB >> 10),
          "Maybe free some disk, or name another folder: in the hosts file.");
    } else if (facts.gpus() < host.gpus()) {
      return finding(
          host,
          "it has %d GPUs, and the hosts file says %d".formatted(facts.gpus(), host.gpus()),
          "Maybe correct gpus:, or see what nvidia-smi -L prints there.");
    } else if (!facts.busy().equals("no")) {
      return finding(
          host,
          "another run trains on it: " + facts.busy(),
          "Maybe wait for it, or see 'deepvm places leftovers'.");
    }
    return null;
  }

  private static Finding finding(SshHost host, String problem, String wayOut) {
    return new Finding("%s (%s): %s.".formatted(host.name(), host.login(), problem), wayOut);
  }

  private static String machine() {
    String arch = System.getProperty("os.arch");
    return arch.equals("amd64") ? "x86_64" : arch;
  }

  /** Refuses hosts of which one cannot train; says what is wrong with each. */
  static void require(List<SshHosts.Answer<HostFacts>> answers, Clock clock) {
    List<Finding> findings = new ArrayList<>();
    for (SshHosts.Answer<HostFacts> answer : answers) {
      Finding finding = judge(answer, clock);
      if (finding != null) {
        findings.add(finding);
      }
    }
    refuse(findings);
  }

  /** Refuses hosts that could not be prepared. */
  static void requirePrepared(List<SshHosts.Answer<Boolean>> answers) {
    List<Finding> findings = new ArrayList<>();
    for (SshHosts.Answer<Boolean> answer : answers) {
      if (answer.problem() != null) {
        findings.add(
            new Finding(String.valueOf(answer.problem().getMessage()), answer.problem().wayOut()));
      }
    }
    refuse(findings);
  }

  private static void refuse(List<Finding> findings) {
    if (!findings.isEmpty()) {
      throw new BadInput(
          String.join("\n", findings.stream().map(Finding::problem).toList()),
          findings.get(0).wayOut());
    }
  }
}
