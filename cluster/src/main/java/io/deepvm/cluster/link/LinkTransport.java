package io.deepvm.cluster.link;

import io.deepvm.base.DaemonThreads;
import io.deepvm.base.DataSize;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Limits;
import io.deepvm.transport.Security;
import io.deepvm.transport.Timeouts;
import io.deepvm.transport.TransportOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How links use the transport. */
final class LinkTransport {

  /** The pause between two signs of life. */
  static final Duration REPEAT = Duration.ofMillis(500);

  /** The shortest and the longest pause before another attempt to connect. */
  static final Duration FIRST_RETRY = Duration.ofMillis(20);

  static final Duration LAST_RETRY = Duration.ofMillis(100);

  /** From connecting until both sides have greeted each other. */
  static final Duration HANDSHAKE = Duration.ofSeconds(3);

  static final byte[] NOTHING = {};

  private static final int CHUNK_BYTES = 1 << 16;
  private static final int MESSAGE_BYTES = 8 << 20;
  private static final int NAME_BYTES = 64;
  private static final int CONNECTIONS = 8192;
  private static final int REQUESTS = 16;

  /** Nothing but messages is sent, so there is hardly any room for transfers. */
  private static final Limits LIMITS =
      new Limits(
          CHUNK_BYTES,
          new DataSize(CHUNK_BYTES),
          new DataSize(CHUNK_BYTES),
          MESSAGE_BYTES,
          NAME_BYTES,
          CONNECTIONS,
          1,
          REQUESTS);

  /**
   * A link says by itself who is silent, and a link that was cut may heal. So the transport gives a
   * connection up much later.
   */
  private static final Timeouts TIMEOUTS =
      new Timeouts(
          HANDSHAKE,
          Duration.ofSeconds(5),
          Duration.ofMinutes(5),
          Duration.ofMinutes(5),
          Duration.ofMinutes(5),
          Duration.ofSeconds(30));

  private LinkTransport() {}

  static TransportOptions options(Security security) {
    return TransportOptions.usual()
        .withSecurity(security)
        .withLimits(LIMITS)
        .withTimeouts(TIMEOUTS);
  }

  /** Returns the answer to the first message of a connection; throws if none comes in time. */
  static LinkMessage ask(Connection connection, LinkMessage first)
      throws IOException, InterruptedException {
    try {
      return LinkMessage.decode(
          connection.request(first.encode()).get(HANDSHAKE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), e);
    } catch (TimeoutException e) {
      throw new IOException(
          "the other side did not answer within %d s".formatted(HANDSHAKE.toSeconds()), e);
    }
  }

  /** Returns the pause after this one. */
  static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : twice;
  }

  static ThreadFactory daemons(String name) {
    return DaemonThreads.named(name);
  }
}
