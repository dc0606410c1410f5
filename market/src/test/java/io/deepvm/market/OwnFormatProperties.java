package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

class OwnFormatProperties {

  @Property(tries = 60, seed = "20261115")
  void whatIsWrittenIsReadBackExactly(
      @ForAll @IntRange(min = 1, max = 4) int pools,
      @ForAll @IntRange(min = 1, max = 40) int ticks,
      @ForAll boolean dated,
      @ForAll boolean gzip,
      @ForAll long seed)
      throws IOException {
    Random random = new Random(seed);
    Duration tick =
        random.nextBoolean()
            ? Duration.ofSeconds(1 + random.nextInt(100_000))
            : Duration.ofNanos(1 + random.nextInt(2_000_000_000));
    Instant start = Instant.ofEpochSecond(random.nextInt(), random.nextInt(2_000_000_000));
    List<Trace> traces = new ArrayList<>();
    for (int p = 0; p < pools; p++) {
      traces.add(trace(p, ticks, dated ? start.plusSeconds(p) : null, tick, random));
    }
    Recording written = new Recording("a name", "a, \"source\"", "a licence", traces, List.of());
    Path folder = Files.createTempDirectory("deepvm-own");
    Path file = folder.resolve(gzip ? "t.csv.gz" : "t.csv");
    try {
      Markets.write(written, file);
      assertThat(Markets.load(file.toString())).isEqualTo(written);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  private static Trace trace(
      int p, int ticks, @Nullable Instant start, Duration tick, Random random) {
    int asked = 1 + random.nextInt(20);
    int[] counts = random.ints(ticks, -1, asked + 1).toArray();
    double[] prices = new double[random.nextBoolean() ? ticks : 0];
    for (int t = 0; t < prices.length; t++) {
      prices[t] = random.nextInt(5) == 0 ? Double.NaN : random.nextDouble() * 100;
    }
    return new Trace(
        TracesOf.pool("zone-" + p),
        start,
        tick,
        counts,
        asked,
        prices,
        random.nextBoolean() ? null : random.nextDouble() * 1e6);
  }
}
