package io.deepvm.checkpoint.metrics;

import io.deepvm.checkpoint.Metrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Shows how an engine is doing as meters, asked for only when someone looks. */
public final class EngineMeters implements MeterBinder {

  private static final String PREFIX = "deepvm.checkpoint.";

  private final Supplier<Metrics> engine;
  private final Tags tags;

  /**
   * Shows the metrics of one worker of a job.
   *
   * @param engine such as {@code checkpointEngine::metrics}; the registry holds on to it
   */
  public EngineMeters(Supplier<Metrics> engine, String job, int worker) {
    this.engine = engine;
    this.tags = Tags.of("job", job, "worker", Integer.toString(worker));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(registry, "saves", "Calls to save", Metrics::saves);
    counter(registry, "skipped", "Saves left out by policy", Metrics::skipped);
    counter(registry, "failed", "Saves that could be committed nowhere", Metrics::failed);
    counter(registry, "tier.failures", "Times a tier gave a save up", Metrics::tierFailures);
    counter(registry, "retries", "Times a tier was tried again", Metrics::retries);
    FunctionCounter.builder(PREFIX + "stall", engine, e -> seconds(e.get().totalStall()))
        .description("How long all saves kept training waiting")
        .baseUnit("seconds")
        .tags(tags)
        .register(registry);
    gauge(registry, "last.stall", "How long the last save did", m -> seconds(m.lastStall()));
    gauge(
        registry,
        "last.write",
        "From staging to the last commit in a tier",
        m -> seconds(m.lastWrite()));
    gauge(
        registry,
        "durable.age",
        "How long ago the newest durable state was staged",
        m -> seconds(m.durableAge()));
    plain(registry, "in.flight", "bytes", "What is taken of the arena", Metrics::bytesInFlight);
    plain(registry, "lag", "steps", "Steps that are staged, not durable", Metrics::lagSteps);
    plain(
        registry,
        "last.durable",
        "step",
        "The newest durable step",
        m -> number(m.lastDurableStep()));
  }

  private void counter(
      MeterRegistry registry, String name, String says, ToDoubleFunction<Metrics> value) {
    FunctionCounter.builder(PREFIX + name, engine, e -> value.applyAsDouble(e.get()))
        .description(says)
        .tags(tags)
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry, String name, String says, ToDoubleFunction<Metrics> value) {
    TimeGauge.builder(PREFIX + name, engine, TimeUnit.SECONDS, e -> value.applyAsDouble(e.get()))
        .description(says)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  private void plain(
      MeterRegistry registry,
      String name,
      String unit,
      String says,
      ToDoubleFunction<Metrics> value) {
    Gauge.builder(PREFIX + name, engine, e -> value.applyAsDouble(e.get()))
        .description(says)
        .baseUnit(unit)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  private static double seconds(@Nullable Duration duration) {
    return duration == null ? Double.NaN : duration.toNanos() / 1e9;
  }

  private static double number(@Nullable Long step) {
    return step == null ? Double.NaN : step;
  }
}
