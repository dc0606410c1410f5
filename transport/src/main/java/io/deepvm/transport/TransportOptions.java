package io.deepvm.transport;

import io.deepvm.base.DaemonThreads;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * What an endpoint is made with.
 *
 * @param security how the two sides know each other
 * @param generations the newest generation seen of each group; shared when given to several
 * @param nanoClock a clock that never goes back, in nanoseconds
 * @param threads makes every thread of the endpoint
 */
public record TransportOptions(
    Security security,
    Limits limits,
    Timeouts timeouts,
    Generations generations,
    LongSupplier nanoClock,
    ThreadFactory threads) {

  /** Returns the usual limits and timeouts, daemon threads, and no proof of identity. */
  public static TransportOptions usual() {
    return new TransportOptions(
        Security.none(),
        Limits.USUAL,
        Timeouts.USUAL,
        new Generations(),
        System::nanoTime,
        DaemonThreads.named("deepvm-transport"));
  }

  /** Returns the same options with this secret between workers. */
  public TransportOptions withToken(Token secret) {
    return withSecurity(Security.of(secret));
  }

  /** Returns the same options with this security. */
  public TransportOptions withSecurity(Security other) {
    return new TransportOptions(other, limits, timeouts, generations, nanoClock, threads);
  }

  /** Returns the same options with these limits. */
  public TransportOptions withLimits(Limits others) {
    return new TransportOptions(security, others, timeouts, generations, nanoClock, threads);
  }

  /** Returns the same options with these timeouts. */
  public TransportOptions withTimeouts(Timeouts others) {
    return new TransportOptions(security, limits, others, generations, nanoClock, threads);
  }

  /** Returns the same options with this memory of generations. */
  public TransportOptions withGenerations(Generations others) {
    return new TransportOptions(security, limits, timeouts, others, nanoClock, threads);
  }

  /** Returns the same options with this maker of threads. */
  public TransportOptions withThreads(ThreadFactory factory) {
    return new TransportOptions(security, limits, timeouts, generations, nanoClock, factory);
  }
}
