package io.deepvm.transport;

import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint is made with.
 *
 * @param token the secret both sides must know; none means that nobody has to prove anything
 * @param tls keys and trusted certificates for mutual TLS; none means plain TCP
 * @param generations the newest generation seen of each group; shared when given to several
 * @param nanoClock a clock that never goes back, in nanoseconds
 * @param threads makes every thread of the endpoint
 */
public record TransportOptions(
    @Nullable Token token,
    @Nullable SSLContext tls,
    Limits limits,
    Timeouts timeouts,
    Generations generations,
    LongSupplier nanoClock,
    ThreadFactory threads) {

  /** Returns the usual limits and timeouts, daemon threads, and no proof of identity. */
  public static TransportOptions usual() {
    return new TransportOptions(
        null,
        null,
        Limits.USUAL,
        Timeouts.USUAL,
        new Generations(),
        System::nanoTime,
        task -> {
          Thread thread = new Thread(task);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Returns the same options with this secret. */
  public TransportOptions withToken(Token secret) {
    return new TransportOptions(secret, tls, limits, timeouts, generations, nanoClock, threads);
  }

  /** Returns the same options with mutual TLS. */
  public TransportOptions withTls(SSLContext context) {
    return new TransportOptions(token, context, limits, timeouts, generations, nanoClock, threads);
  }

  /** Returns the same options with these limits. */
  public TransportOptions withLimits(Limits others) {
    return new TransportOptions(token, tls, others, timeouts, generations, nanoClock, threads);
  }

  /** Returns the same options with these timeouts. */
  public TransportOptions withTimeouts(Timeouts others) {
    return new TransportOptions(token, tls, limits, others, generations, nanoClock, threads);
  }

  /** Returns the same options with this memory of generations. */
  public TransportOptions withGenerations(Generations others) {
    return new TransportOptions(token, tls, limits, timeouts, others, nanoClock, threads);
  }

  /** Returns the same options with this maker of threads. */
  public TransportOptions withThreads(ThreadFactory factory) {
    return new TransportOptions(token, tls, limits, timeouts, generations, nanoClock, factory);
  }
}
