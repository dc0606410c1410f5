package io.deepvm.cli.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.PriceDate;
import io.deepvm.catalog.PriceDates;
import io.deepvm.catalog.refresh.AccountSpotPrices;
import io.deepvm.catalog.refresh.AzureRetailPrices;
import io.deepvm.catalog.refresh.FreshPrices;
import io.deepvm.catalog.refresh.HostedCatalog;
import io.deepvm.catalog.refresh.PriceAddresses;
import io.deepvm.catalog.refresh.PriceCache;
import io.deepvm.catalog.refresh.PriceCheck;
import io.deepvm.catalog.refresh.WebPages;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.RefreshReport;
import io.deepvm.cli.run.AwsRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads the prices of today and keeps them for this user. */
@Command(
    name = "refresh",
    description =
        "Reads today's prices and keeps them for your plans; what looks wrong is refused.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm catalog refresh",
      "  deepvm catalog refresh --from account --region us-east-1",
      "",
      "Plans then use, for each cloud, the newer of these prices and the built-in snapshot.",
      "Exit code 1: a source could not be read or is not believed; its former prices stay."
    })
@SuppressWarnings("NullAway.Init")
public final class CatalogRefreshCommand implements Callable<Integer> {

  private static final String AWS = "aws";

  /** Where prices come from. */
  enum Source {
    /** Catalogs of the SkyPilot format. */
    HOSTED("hosted"),
    /** Azure's public price list. */
    AZURE("azure"),
    /** Spot prices as the user's account of AWS sees them. */
    ACCOUNT("account");

    private final String label;

    Source(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  @Option(
      names = "--from",
      split = ",",
      paramLabel = "hosted|azure|account",
      description =
          "What to read: hosted catalogs, Azure's price list, the spot prices of your AWS account"
              + " (default: hosted,azure; repeatable).")
  private Set<Source> sources = new TreeSet<>(Set.of(Source.HOSTED, Source.AZURE));

  @Option(
      names = "--cloud",
      split = ",",
      paramLabel = "NAME",
      description = "The clouds of hosted catalogs (default: aws,gcp,lambda,runpod; repeatable).")
  private Set<String> clouds = new TreeSet<>(HostedCatalog.CLOUDS);

  @Option(
      names = "--region",
      split = ",",
      paramLabel = "REGION",
      description = "The AWS regions to ask your account about (repeatable).")
  private Set<String> regions = new TreeSet<>();

  @Option(
      names = "--hosted-url",
      paramLabel = "URL",
      description = "The folder of hosted catalogs (default: SkyPilot's).")
  private @Nullable String hostedUrl;

  @Option(
      names = "--azure-url",
      paramLabel = "URL",
      description = "Azure's price list (default: Azure's own).")
  private @Nullable String azureUrl;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "How long one page may take (default: 30s).")
  private Duration timeout = WebPages.USUAL_PATIENCE;

  @Option(
      names = "--accept-jumps",
      description = "Believe prices that moved more than tenfold, and lists that became short.")
  private boolean acceptJumps;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CatalogRefreshCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Reads the prices of a cloud. */
  @FunctionalInterface
  private interface Question {
    FreshPrices read(List<Listing> known) throws IOException;
  }

  @Override
  public Integer call() {
    PriceCache cache = CatalogOption.cache(terminal);
    if (cache == null) {
      throw new BadInput(
          "There is no folder to keep prices in.", "Maybe set HOME or XDG_CACHE_HOME.");
    }
    if (sources.contains(Source.ACCOUNT) == regions.isEmpty()) {
      throw new BadInput(
          regions.isEmpty()
              ? "Your account states prices by region, and none is named."
              : "--region is for the prices of your account.",
          "Maybe add --from account --region us-east-1.");
    }
    List<RefreshReport.Part> parts = new ArrayList<>();
    WebPages pages = WebPages.within(timeout);
    if (sources.contains(Source.HOSTED)) {
      URI folder = address(hostedUrl, PriceAddresses.usual().hosted());
      for (String cloud : clouds) {
        parts.add(
            part(
                cache, cloud, "hosted catalog", known -> HostedCatalog.read(pages, folder, cloud)));
      }
    }
    if (sources.contains(Source.AZURE)) {
      URI list = address(azureUrl, PriceAddresses.usual().azure());
      parts.add(
          part(
              cache,
              AzureRetailPrices.CLOUD,
              "retail prices",
              known -> AzureRetailPrices.read(pages, list, known, terminal.clock().instant())));
    }
    if (sources.contains(Source.ACCOUNT)) {
      for (String region : regions) {
        parts.add(part(cache, AWS, "spot prices of " + region, known -> ofAccount(known, region)));
      }
    }
    RefreshReport report = new RefreshReport(parts, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    boolean failed = false;
    for (RefreshReport.Part part : parts) {
      String problem = part.problem();
      if (problem != null) {
        failed = true;
        terminal
            .err()
            .println(
                "%s, %s: %s The prices of %s stay in use."
                    .formatted(part.cloud(), part.source(), problem, part.asOf()));
      }
    }
    return failed ? Exit.FAILED_INSIDE : Exit.DONE;
  }

  private static URI address(@Nullable String given, URI usual) {
    return given == null ? usual : WebPages.address(given);
  }

  /** Reads one source and keeps what is believed of it. */
  private RefreshReport.Part part(
      PriceCache cache, String cloud, String source, Question question) {
    Catalog newest = cache.newest(terminal.err()::println);
    List<Listing> known =
        newest.listings().stream().filter(each -> each.place().cloud().equals(cloud)).toList();
    PriceDate before = newest.dates().of(cloud);
    String stays = known.isEmpty() || before == null ? "an unknown day" : before.toString();
    try {
      FreshPrices fresh =
          Progress.during(terminal, "Reading " + cloud, () -> uninterrupted(question, known));
      PriceCheck check = PriceCheck.against(known);
      FreshPrices believed = (acceptJumps ? check.acceptingJumps() : check).believed(fresh);
      LocalDate today = LocalDate.now(terminal.clock());
      // An account states spot prices only: the others are as old as they were.
      boolean all = !source.startsWith("spot");
      PriceDates dates = all || before == null ? PriceDates.of(today) : dates(cloud, before);
      String says = all ? source : "%s of %s, over prices of %s".formatted(source, today, stays);
      cache.keep(cloud, new Catalog(cloud, says, dates, believed.listings(), List.of()));
      return new RefreshReport.Part(
          cloud,
          source,
          all ? today.toString() : stays,
          believed.listings().size(),
          changed(known, believed.listings()),
          believed.refused(),
          null);
    } catch (IOException e) {
      return failed(cloud, source, stays, e.getMessage() + ".");
    } catch (UncheckedIOException e) {
      return failed(cloud, source, stays, Objects.requireNonNull(e.getCause()).getMessage() + ".");
    } catch (BadInput e) {
      return failed(cloud, source, stays, e.getMessage() + " " + e.wayOut());
    }
  }

  private static PriceDates dates(String cloud, PriceDate before) {
    return before.day() == null
        ? new PriceDates(null, Map.of(cloud, before), PriceDates.Use.RENTING)
        : PriceDates.of(before.day());
  }

  private static FreshPrices uninterrupted(Question question, List<Listing> known) {
    try {
      return question.read(known);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RefreshReport.Part failed(
      String cloud, String source, String stays, String problem) {
    return new RefreshReport.Part(cloud, source, stays, 0, 0, List.of(), problem);
  }

  private static int changed(List<Listing> known, List<Listing> now) {
    Map<Listing.Key, Listing> before =
        known.stream().collect(Collectors.toMap(Listing::key, each -> each, (a, b) -> a));
    int changed = 0;
    for (Listing each : now) {
      Listing old = before.get(each.key());
      if (old == null
          || !Objects.equals(old.spot(), each.spot())
          || !Objects.equals(old.onDemand(), each.onDemand())) {
        changed++;
      }
    }
    return changed;
  }

  private FreshPrices ofAccount(List<Listing> known, String region) throws IOException {
    Set<String> types = new TreeSet<>();
    for (Listing each : known) {
      if (each.place().region().equals(region)) {
        types.add(each.machine().name());
      }
    }
    if (types.isEmpty()) {
      throw new BadInput(
          "The catalog lists nothing in aws/%s.".formatted(region), "Maybe --region us-east-1.");
    }
    List<AccountSpotPrices.Stated> stated =
        AwsRunner.account(region, terminal).spotQuotes(types).stream()
            .map(each -> new AccountSpotPrices.Stated(each.zoneId(), each.type(), each.usd()))
            .toList();
    return AccountSpotPrices.of(known, region, stated);
  }
}
