package io.deepvm.catalog.compact;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.SpeedupCurve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CompactFormatProperties {

  @Property(tries = 200)
  void whatIsWrittenReadsBackTheSame(@ForAll("catalogs") Catalog catalog, @ForAll boolean gzip)
      throws IOException {
    Path folder = Files.createTempDirectory("catalog");
    Path file = folder.resolve(gzip ? "catalog.csv.gz" : "catalog.csv");
    try {
      Catalogs.write(catalog, file);
      byte[] first = Files.readAllBytes(file);
      Catalog read = Catalogs.load(file.toString());
      Catalogs.write(read, file);

      assertThat(read).isEqualTo(catalog);
      assertThat(Files.readAllBytes(file)).isEqualTo(first);
      try (var left = Files.list(folder)) {
        assertThat(left).containsExactly(file);
      }
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  @Provide
  Arbitrary<Catalog> catalogs() {
    return Combinators.combine(
            words(),
            Arbitraries.longs().between(0, 40_000).map(LocalDate::ofEpochDay).injectNull(0.2),
            texts(),
            listings().list().ofMinSize(1).ofMaxSize(12).uniqueElements(Listing::key),
            quotas().list().ofMaxSize(4))
        .as(Catalog::new);
  }

  private static Arbitrary<Listing> listings() {
    Arbitrary<Money> prices = Arbitraries.longs().between(1, 1_000_000_000_000L).map(Money::new);
    Arbitrary<Place> places =
        Combinators.combine(words(), words().injectNull(0.3))
            .as((region, zone) -> new Place("cloud-of-the-test", region, zone));
    return Combinators.combine(machines(), places, prices, prices, Arbitraries.of(0, 1, 2))
        .as(
            (machine, place, spot, onDemand, markets) ->
                new Listing(
                    machine, place, markets == 1 ? null : spot, markets == 2 ? null : onDemand));
  }

  // Names that no hardware table knows, so that nothing is filled in while reading.
  private static Arbitrary<Machine> machines() {
    Arbitrary<Gpu> gpus =
        Combinators.combine(words(), sizes())
            .as((name, memory) -> Gpu.unknown("unheard-of " + name, memory));
    Arbitrary<SpeedupCurve> curves =
        Combinators.combine(numbers(), numbers(), numbers()).as(SpeedupCurve::new);
    return Combinators.combine(
            texts().map(text -> "type " + text),
            words(),
            numbers(),
            sizes(),
            Combinators.combine(gpus, numbers().map(n -> n + 0.001)).as(Gpus::new).injectNull(0.3),
            rates(),
            rates(),
            Combinators.combine(numbers().injectNull(0.5), curves.injectNull(0.5)).as(Speed::new))
        .as(
            (name, family, vcpus, memory, gpu, network, copy, speed) ->
                new Machine(
                    "cloud-of-the-test",
                    name.strip(),
                    family,
                    vcpus,
                    memory,
                    gpu,
                    network,
                    copy,
                    speed.flops(),
                    speed.curve()));
  }

  private record Speed(Double flops, SpeedupCurve curve) {}

  private static Arbitrary<Quota> quotas() {
    return Combinators.combine(
            Arbitraries.of("*", "aws", "aws/us-*", "gcp/us-central1/us-central1-a"),
            words().set().ofMaxSize(3),
            Arbitraries.of(Market.class),
            Arbitraries.of(Quota.Unit.class),
            Arbitraries.longs().between(0, Long.MAX_VALUE))
        .as(
            (place, families, market, unit, limit) ->
                new Quota(new PlaceFilter(place), families, market, unit, limit));
  }

  private static Arbitrary<String> words() {
    return Arbitraries.strings().withChars("abcz019-._").ofMinLength(1).ofMaxLength(12);
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("aZ09,;\"'#é漢()-").ofMaxLength(20);
  }

  private static Arbitrary<Double> numbers() {
    return Arbitraries.oneOf(
        Arbitraries.integers().between(0, 1000).map(Integer::doubleValue),
        Arbitraries.doubles().between(0, 1e18));
  }

  private static Arbitrary<DataSize> sizes() {
    return Arbitraries.oneOf(
            Arbitraries.longs().between(0, 1L << 50),
            Arbitraries.longs().between(0, 4096).map(gib -> gib << 30),
            Arbitraries.longs().between(0, 100_000).map(tenths -> tenths * 100_000_000))
        .map(DataSize::new)
        .injectNull(0.2);
  }

  private static Arbitrary<Bandwidth> rates() {
    return Arbitraries.longs().between(0, 1L << 50).map(Bandwidth::new).injectNull(0.3);
  }
}
