package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.Durations;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a run on rented machines. */
public final class AwsOptions {

  /** What --on says. */
  static final String PLACE = "aws";

  private static final String IMAGE =
      "ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/"
          + "ami-id";

  @Option(
      names = "--max-cost",
      paramLabel = "USD",
      description = "The most that the machines of the run may cost in all. Needed with --on aws.")
  @Nullable Double maxCost;

  @Option(
      names = "--max-time",
      paramLabel = "DURATION",
      description = "No machine lives longer (default: ${DEFAULT-VALUE}). With --on aws.")
  String maxTime = "24h";

  @Option(names = "--yes", description = "Rent without asking first. With --on aws.")
  boolean yes;

  @Option(
      names = "--image",
      paramLabel = "AMI|ssm:NAME",
      description = "The machine image (default: AWS's newest for deep learning). With --on aws.")
  String image = IMAGE;

  @Option(
      names = "--login",
      paramLabel = "USER",
      description = "The user of the image that ssh logs in as (default: ${DEFAULT-VALUE}).")
  String login = "ubuntu";

  @Option(
      names = "--ssh-from",
      paramLabel = "CIDR",
      description = "The addresses that may use ssh, like 203.0.113.7/32. Needed with --on aws.")
  @Nullable String sshFrom;

  /** Returns the ceiling in micro-dollars. */
  long maxMicros() {
    if (maxCost == null) {
      throw new BadInput(
          "A run on rented machines needs a ceiling: --max-cost USD.",
          "Maybe --max-cost 5: the run ends before its machines have cost more.");
    }
    if (!(maxCost > 0 && maxCost < 1e9)) {
      throw new BadInput(
          "--max-cost must be an amount of dollars above 0, and is %s.".formatted(maxCost),
          "Maybe --max-cost 5.");
    }
    return Math.round(maxCost * 1e6);
  }

  /** Returns the longest life of the run. */
  long maxMs() {
    return Durations.parse(maxTime).toMillis();
  }

  /** Returns the addresses that may use ssh. */
  String from() {
    if (sshFrom == null || !sshFrom.matches("\\d{1,3}(\\.\\d{1,3}){3}/\\d{1,2}")) {
      throw new BadInput(
          "--ssh-from must be a range of addresses, like 203.0.113.7/32.",
          "Maybe 'curl https://checkip.amazonaws.com' says yours; add /32 to it.");
    }
    return sshFrom;
  }

  /** Returns the name of an option that is there although the run is elsewhere; else null. */
  @Nullable String withoutAws(List<String> given) {
    return List.of("--max-cost", "--max-time", "--yes", "--image", "--login", "--ssh-from").stream()
        .filter(given::contains)
        .findFirst()
        .orElse(null);
  }
}
