package io.deepvm.bench;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Place;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Planner;
import io.deepvm.planner.Planning;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Planning over a whole market, and how its cost grows with the number of listings. The limit is
 * one pass over the listings that only adds up their prices.
 */
@State(Scope.Benchmark)
@Fork(value = 1, jvmArgs = "-Xmx2g")
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class MarketBenchmark {

  /** A catalog name, file or folder; the built-in snapshot is repeated to reach the size. */
  @Param("snapshot")
  public String catalog = Catalogs.DEFAULT;

  @Param({"10000", "30000", "107000"})
  public int listings;

  private Catalog market =
      new Catalog("none yet", null, "", Catalogs.load("paper").listings(), List.of());

  /** Takes an even sample of the catalog, or repeats it in regions of other names. */
  @Setup
  public void load() {
    Catalog whole = Catalogs.load(catalog);
    List<Listing> all = whole.listings();
    List<Listing> chosen = new ArrayList<>();
    for (int i = 0; i < listings; i++) {
      if (all.size() >= listings) {
        chosen.add(all.get((int) ((long) i * all.size() / listings)));
      } else {
        Listing listing = all.get(i % all.size());
        Place place = listing.place();
        Place copy = new Place(place.cloud(), place.region() + i / all.size(), place.zone());
        chosen.add(new Listing(listing.machine(), copy, listing.spot(), listing.onDemand()));
      }
    }
    market = whole.with(chosen);
  }

  /** The four stages with explanations at $20 per hour. */
  @Benchmark
  public Planning plan() {
    return new Planner(market, Job.UNSTATED).plan(Goal.within(Money.parse("20")));
  }

  /** The limit: every listing is looked at once. */
  @Benchmark
  public long onePass() {
    long sum = 0;
    for (Listing listing : market.listings()) {
      Money spot = listing.spot();
      sum += spot == null ? 0 : spot.micros();
    }
    return sum;
  }
}
