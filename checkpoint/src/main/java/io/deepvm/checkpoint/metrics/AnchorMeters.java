package io.deepvm.checkpoint.metrics;

import io.deepvm.checkpoint.anchor.AnchorFigures;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Shows how an anchor is doing as meters, asked for only when someone looks. */
public final class AnchorMeters implements MeterBinder {

  private static final System.Logger LOG = System.getLogger(AnchorMeters.class.getName());
  private static final String PREFIX = "deepvm.anchor.";

  /** One look at the disk does for all meters that are asked together. */
  private static final long FRESH = TimeUnit.MILLISECONDS.toNanos(500);

  private final AnchorService anchor;
  private @Nullable AnchorFigures seen;
  private long seenAt;

  /** Shows the figures of an anchor; the registry holds on to it. */
  public AnchorMeters(AnchorService anchor) {
    this.anchor = anchor;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "memory.versions", "Versions in memory", f -> f.memory().versions());
    gauge(registry, "memory.bytes", "What is taken of the memory", f -> f.memory().bytes());
    gauge(registry, "disk.versions", "Versions on the disk", f -> f.disk().versions());
    gauge(registry, "disk.bytes", "What they take there", f -> f.disk().bytes());
    gauge(
        registry,
        "flush.waiting",
        "Jobs whose newest version is not on the disk yet",
        f -> f.flush().waiting());
    gauge(
        registry,
        "upload.waiting",
        "Jobs whose newest version is not in the archive yet",
        f -> f.upload().waiting());
    gauge(registry, "connections", "Open connections", AnchorFigures::connections);
    counter(
        registry,
        "refused.connections",
        "Connections that ended before they were proven",
        AnchorFigures::refused);
    counter(registry, "flush.failures", "Times a flush failed", f -> f.flush().failures());
    counter(registry, "upload.failures", "Times an upload failed", f -> f.upload().failures());
  }

  private void gauge(
      MeterRegistry registry, String name, String says, ToDoubleFunction<AnchorFigures> value) {
    Gauge.builder(PREFIX + name, this, meters -> meters.value(value))
        .description(says)
        .strongReference(true)
        .register(registry);
  }

  private void counter(
      MeterRegistry registry, String name, String says, ToDoubleFunction<AnchorFigures> value) {
    FunctionCounter.builder(PREFIX + name, this, meters -> meters.value(value))
        .description(says)
        .register(registry);
  }

  private synchronized double value(ToDoubleFunction<AnchorFigures> value) {
    long now = System.nanoTime();
    if (seen == null || now - seenAt > FRESH) {
      try {
        seen = anchor.figures();
        seenAt = now;
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "The anchor cannot be looked at: {0}", e.toString());
      }
    }
    return seen == null ? Double.NaN : value.applyAsDouble(seen);
  }
}
