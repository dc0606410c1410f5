package io.deepvm.checkpoint.anchor;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Limits;
import io.deepvm.transport.Security;
import io.deepvm.transport.Timeouts;
import io.deepvm.transport.Token;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an anchor is made with.
 *
 * @param listen an address beyond loopback needs a token or trusted certificates, and uses TLS
 * @param memory what checkpoints may take of the memory; what does not fit goes to the disk
 * @param disk a folder of its own
 * @param archive where versions are uploaded to; several anchors of a job share one
 * @param retention which versions stay in the archive
 */
public record AnchorOptions(
    InetSocketAddress listen,
    DataSize memory,
    Path disk,
    @Nullable Tier archive,
    Retention retention,
    Security security,
    Limits limits,
    Timeouts timeouts,
    FaultPoints faults) {

  /** A dead peer is noticed within 10 s; a disk may take 5 minutes for what it is asked. */
  public static final Timeouts TIMEOUTS =
      new Timeouts(
          Duration.ofSeconds(5),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofMinutes(5),
          Duration.ofMinutes(5));

  /** Returns the usual options, without archive and security. */
  public static AnchorOptions of(InetSocketAddress listen, DataSize memory, Path disk) {
    return new AnchorOptions(
        listen,
        memory,
        disk,
        null,
        new Retention(10, 0),
        Security.none(),
        Limits.USUAL,
        TIMEOUTS,
        FaultPoints.NONE);
  }

  /** Returns the same with an archive. */
  public AnchorOptions withArchive(Tier tier) {
    return new AnchorOptions(
        listen, memory, disk, tier, retention, security, limits, timeouts, faults);
  }

  /** Returns the same with a secret. */
  public AnchorOptions withToken(Token secret) {
    return withSecurity(Security.of(secret));
  }

  /** Returns the same with this security. */
  public AnchorOptions withSecurity(Security other) {
    return new AnchorOptions(
        listen, memory, disk, archive, retention, other, limits, timeouts, faults);
  }

  /** Returns the same with other limits of the transport. */
  public AnchorOptions withLimits(Limits others) {
    return new AnchorOptions(
        listen, memory, disk, archive, retention, security, others, timeouts, faults);
  }

  /** Returns the same with other timeouts. */
  public AnchorOptions withTimeouts(Timeouts others) {
    return new AnchorOptions(
        listen, memory, disk, archive, retention, security, limits, others, faults);
  }

  /** Returns the same with a listener for each step of writing to the disk. */
  public AnchorOptions withFaults(FaultPoints points) {
    return new AnchorOptions(
        listen, memory, disk, archive, retention, security, limits, timeouts, points);
  }
}
