package io.deepvm.checkpoint.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.LongSupplier;

/** Shows how often the newest checkpoint could not be restored, so that another one was. */
public final class RestoreMeters implements MeterBinder {

  private final LongSupplier fallbacks;
  private final String job;

  /**
   * Shows the count of a job.
   *
   * @param fallbacks such as {@code agent::restoreFallbacks}; the registry holds on to it
   */
  public RestoreMeters(LongSupplier fallbacks, String job) {
    this.fallbacks = fallbacks;
    this.job = job;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    // the counter holds its object weakly, and nobody else holds the supplier
    FunctionCounter.builder(
            "deepvm.checkpoint.restore.fallbacks", registry, r -> fallbacks.getAsLong())
        .description("Restores that passed over a newer version or a nearer copy")
        .tag("job", job)
        .register(registry);
  }
}
