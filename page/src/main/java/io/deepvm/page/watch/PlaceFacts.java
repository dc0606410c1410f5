package io.deepvm.page.watch;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.deepvm.base.BadInput;
import io.deepvm.places.aws.AwsSettings;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.slurm.SlurmSettings;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the place of a run says of its money and of how long nodes live; kept in the run's folder.
 *
 * @param name of the kind of place
 * @param ceilingUsd what the run may cost; null where nothing limits it
 */
record PlaceFacts(String name, Lease lease, @Nullable Double ceilingUsd) {

  /**
   * How long a node lives; what is null does not limit it. Where nothing does, nodes end with their
   * coordinator.
   *
   * @param renewedSeconds after the last sign of the coordinator
   * @param limitSeconds after the node's start
   * @param untilMs at the latest, in milliseconds since 1970
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Lease(
      @Nullable Double renewedSeconds, @Nullable Double limitSeconds, @Nullable Long untilMs) {}

  /** Returns what the folder of a run says; settings that cannot be read say nothing. */
  static PlaceFacts of(Path run) throws IOException {
    try {
      if (AwsSettings.exist(run)) {
        return ofAws(AwsSettings.read(run).ceiling());
      }
      if (SlurmSettings.exist(run)) {
        double limit = SlurmSettings.read(run).timeSeconds();
        return new PlaceFacts("slurm", new Lease(null, limit, null), null);
      }
      if (SshSettings.exist(run)) {
        double renewed = SshSettings.read(run).leaseSeconds();
        return new PlaceFacts("ssh", new Lease(renewed, null, null), null);
      }
    } catch (BadInput e) {
      return new PlaceFacts("unknown", new Lease(null, null, null), null);
    }
    return new PlaceFacts("local", new Lease(null, null, null), null);
  }

  private static PlaceFacts ofAws(Ceiling ceiling) {
    Ceiling.Terms terms = ceiling.terms();
    double renewed = terms.nodeSeconds() + terms.graceSeconds();
    return new PlaceFacts(
        "aws", new Lease(renewed, null, ceiling.untilMs()), ceiling.micros() / 1e6);
  }
}
