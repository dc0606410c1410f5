package io.deepvm.cli.catalog;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.GpuFilter;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.OfferList;
import io.deepvm.cli.print.OfferOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists offers. */
@Command(
    name = "list",
    description = "Lists what can be rented, filtered and sorted.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm catalog list --gpu A100 --place 'aws/us-*' --market spot",
      "  deepvm catalog list --place 'aws/us-*' --output csv > small.csv",
      "",
      "The CSV is a catalog: deepvm plan --catalog small.csv --max-price-per-hour 3."
    })
@SuppressWarnings("NullAway.Init")
public final class CatalogListCommand implements Callable<Integer> {

  @Mixin private CatalogOption catalog;

  @Option(
      names = "--gpu",
      split = ",",
      paramLabel = "NAME",
      description =
          "Only with these GPUs: T4,L4 or 'A100*'; 'none' for machines without one (repeatable).")
  private List<GpuFilter> gpus = new ArrayList<>();

  @Option(
      names = "--min-gpu-memory",
      paramLabel = "SIZE",
      description = "Only with at least this memory on each GPU, e.g. 24GB.")
  private @Nullable DataSize minGpuMemory;

  @Option(
      names = "--place",
      paramLabel = "PLACE",
      description = "Only there: aws, aws/us-* (repeatable).")
  private List<PlaceFilter> places = new ArrayList<>();

  @Option(names = "--max-price", paramLabel = "USD", description = "At most this per hour.")
  private @Nullable Money maxPrice;

  @Option(names = "--market", paramLabel = "spot|on-demand", description = "Only on this market.")
  private @Nullable Market market;

  @Option(
      names = "--sort",
      paramLabel = "price|price-per-gpu|name|place|gpu-memory",
      description =
          "The column to sort by (default: ${DEFAULT-VALUE}); gpu-memory begins with the most.")
  private OfferOrder sort = OfferOrder.PRICE;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "The most rows in a table (default: ${DEFAULT-VALUE}; 0 for all).")
  private int limit = 30;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CatalogListCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Catalog all = Progress.during(terminal, "Reading the catalog", () -> catalog.load(terminal));
    gpus.stream().filter(gpu -> !isNone(gpu)).forEach(gpu -> gpu.requireKnown(all));
    List<Offer> offers = offers(all);
    OfferList list = new OfferList(terminal.out(), terminal.paint());
    switch (output.format) {
      case TABLE -> list.table(offers, sort, limit == 0 ? offers.size() : limit, all);
      case JSON -> list.json(offers, all);
      case CSV -> list.csv(offers, all);
    }
    return Exit.DONE;
  }

  private List<Offer> offers(Catalog all) {
    List<Predicate<String>> names = gpus.stream().map(GpuFilter::test).toList();
    return all.in(places).stream()
        .filter(listing -> fitsGpu(listing, names))
        .flatMap(l -> Stream.of(Market.values()).map(l::offer))
        .filter(Objects::nonNull)
        .filter(o -> market == null || o.market() == market)
        .filter(o -> maxPrice == null || o.pricePerHour().compareTo(maxPrice) <= 0)
        .sorted(sort.comparator())
        .toList();
  }

  private boolean fitsGpu(Listing listing, List<Predicate<String>> names) {
    Gpus own = listing.machine().gpus();
    if (own == null) {
      return minGpuMemory == null
          && (gpus.isEmpty() || gpus.stream().anyMatch(CatalogListCommand::isNone));
    }
    return (names.isEmpty() || names.stream().anyMatch(test -> test.test(own.model().name())))
        && (minGpuMemory == null
            || (own.model().memory() != null && own.model().memory().compareTo(minGpuMemory) >= 0));
  }

  private static boolean isNone(GpuFilter gpu) {
    return gpu.pattern().equalsIgnoreCase("none");
  }
}
