package io.deepvm.cli.watch;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Place;
import io.deepvm.cli.console.Terminal;
import io.deepvm.market.Markets;
import io.deepvm.market.Pool;
import io.deepvm.market.PriceSteadiness;
import io.deepvm.market.Recording;
import io.deepvm.market.SpotLosses;
import io.deepvm.market.Trace;
import io.deepvm.page.explore.Answer;
import io.deepvm.page.explore.ExploreSite;
import io.deepvm.workload.speed.ModelPreset;
import io.deepvm.workload.speed.ModelPresets;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Answers the page of the planner: by the commands themselves, and from the catalog. */
public final class PlannerSource implements ExploreSite.Source {

  private final ExploreCommand.Commands commands;
  private final Clock clock;
  private final String catalogName;
  private final @Nullable Path job;

  /**
   * Makes the source.
   *
   * @param job a file that the page offers; null for none
   */
  public PlannerSource(
      ExploreCommand.Commands commands, Clock clock, String catalogName, @Nullable Path job) {
    if (job != null && !Files.isRegularFile(job)) {
      throw new BadInput("There is no file %s.".formatted(job), "Maybe check its name.");
    }
    this.commands = commands;
    this.clock = clock;
    this.catalogName = catalogName;
    this.job = job;
  }

  @Override
  public Answer run(List<String> words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(new PrintWriter(out), new PrintWriter(err), false, false, false, clock);
    int exit = commands.run(terminal, words.toArray(new String[0]));
    return new Answer(exit, out.toString(), err.toString());
  }

  @Override
  public Map<String, Object> choices() {
    Catalog catalog = Catalogs.load(catalogName);
    TreeMap<String, Integer> gpus = new TreeMap<>();
    TreeSet<String> places = new TreeSet<>();
    for (Listing listing : catalog.listings()) {
      Gpus gpu = listing.machine().gpus();
      if (gpu != null) {
        gpus.merge(gpu.model().name(), 1, Integer::sum);
        places.add(listing.place().cloud());
        places.add(listing.place().cloud() + "/" + listing.place().region());
      }
    }
    Map<String, Object> choices = new LinkedHashMap<>();
    choices.put("gpus", gpus.keySet());
    choices.put("places", places);
    choices.put("models", ModelPresets.all().stream().map(ModelPreset::name).toList());
    choices.put("job", job == null ? "" : job.toString());
    choices.put("catalog", catalogName.equals(Catalogs.DEFAULT) ? "" : catalogName);
    choices.put("traces", Markets.builtIn());
    choices.put("source", catalog.source());
    return choices;
  }

  @Override
  public List<Map<String, Object>> places(String gpu) {
    Map<String, Map<String, Object>> regions = new TreeMap<>();
    for (Listing listing : Catalogs.load(catalogName).listings()) {
      Gpus gpus = listing.machine().gpus();
      if (gpus == null || !(gpu.isEmpty() || gpus.model().name().equals(gpu))) {
        continue;
      }
      String name = listing.place().cloud() + "/" + listing.place().region();
      Map<String, Object> region =
          regions.computeIfAbsent(
              name,
              n -> {
                Map<String, Object> fresh = new LinkedHashMap<>();
                fresh.put("cloud", listing.place().cloud());
                fresh.put("region", listing.place().region());
                return fresh;
              });
      if (lower(region, "spot", listing.spot(), gpus.count(), listing.machine().name())) {
        region.put("spotPool", new Pool(listing.place(), listing.machine().name()));
      }
      boolean unused =
          lower(region, "onDemand", listing.onDemand(), gpus.count(), listing.machine().name());
    }
    regions.values().forEach(PlannerSource::addRisk);
    return new ArrayList<>(regions.values());
  }

  /** Adds how often a node of the cheapest spot type is lost there. */
  private static void addRisk(Map<String, Object> region) {
    if (region.remove("spotPool") instanceof Pool pool) {
      SpotLosses losses = SpotLosses.of(pool);
      region.put("hoursPerLoss", losses.hoursPerLoss());
      region.put("lossesOf", losses.source().name());
    }
  }

  /** Keeps the lowest price of a GPU's hour; returns whether this is lower. */
  private static boolean lower(
      Map<String, Object> region, String market, @Nullable Money price, double gpus, String type) {
    if (price == null) {
      return false;
    }
    double usd = price.dollars() / gpus;
    if (region.get(market) instanceof Double known && usd >= known) {
      return false;
    }
    region.put(market, usd);
    region.put(market + "Type", type);
    return true;
  }

  @Override
  public Map<String, Object> pool(String place, String instanceType) {
    String[] parts = place.split("/", 3);
    if (parts.length < 2 || instanceType.isEmpty()) {
      throw new BadInput("'%s' is no place.".formatted(place), "Maybe load the page again.");
    }
    Pool asked =
        new Pool(new Place(parts[0], parts[1], parts.length < 3 ? null : parts[2]), instanceType);
    SpotLosses losses = SpotLosses.of(asked);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("pool", asked.toString());
    json.put("trace", losses.record());
    json.put("recorded", recorded(asked, Markets.load(losses.record())).toString());
    json.put("lossesOf", losses.source().name());
    json.put("recordedType", losses.recordedType());
    json.put("hoursPerLoss", losses.hoursPerLoss());
    PriceSteadiness steadiness = PriceSteadiness.of(asked);
    if (steadiness != null) {
      json.put("weeklyPriceChange", steadiness.weeklyChange());
      json.put("offeredShare", steadiness.offeredShare());
    }
    return json;
  }

  /** Returns the pool of a record that says most about another one, by place or by its losses. */
  private static Pool recorded(Pool asked, Recording recording) {
    List<Pool> pools = recording.traces().stream().map(Trace::pool).toList();
    if (pools.contains(asked)) {
      return asked;
    }
    double hours = SpotLosses.of(asked).hoursPerLoss();
    return Collections.min(
        pools,
        Comparator.comparingDouble(
            pool -> Math.abs(Math.log(SpotLosses.of(pool).hoursPerLoss() / hours))));
  }

  @Override
  public Map<String, Object> history(String trace) {
    if (!Markets.builtIn().contains(trace)) {
      throw new BadInput(
          "There is no built-in trace '%s'.".formatted(trace), "Maybe load the page again.");
    }
    Recording recording = Markets.load(trace);
    List<Map<String, Object>> pools = new ArrayList<>();
    for (Trace pool : recording.traces()) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("pool", pool.pool().toString());
      json.put("tickSeconds", pool.tick().toSeconds());
      json.put("asked", pool.asked());
      json.put("available", pool.available());
      json.put("price", prices(pool.spotUsdPerHour()));
      pools.add(json);
    }
    return Map.of("name", recording.name(), "source", recording.source(), "pools", pools);
  }

  /** JSON knows no NaN, which stands for an unknown price. */
  private static List<@Nullable Double> prices(double[] recorded) {
    List<@Nullable Double> prices = new ArrayList<>();
    for (double price : recorded) {
      prices.add(Double.isNaN(price) ? null : price);
    }
    return prices;
  }
}
