package io.deepvm.studies.deepvm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.SpeedupCurve;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The answers of the artifact's own functions, where a checkout has them beside it. */
final class Vectors {

  private Vectors() {}

  /** Returns the file's root; the test is skipped where it is absent. */
  static JsonNode read() {
    Path file =
        Path.of(System.getProperty("deepvm.root", "."), "..", "shared", "vectors", "deepvm.json");
    assumeTrue(Files.isReadable(file), "no vectors beside this checkout");
    try {
      return new ObjectMapper().readTree(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the paper's catalog ("real") or the simulated one as the catalog module names them. */
  static Catalog catalog(JsonNode vectors, String which) {
    JsonNode source = vectors.get("catalog").get(which);
    JsonNode curves = vectors.get("scaling").get(which);
    List<Listing> listings = new ArrayList<>();
    for (JsonNode instance : source.get("instances")) {
      listings.add(listing(instance, curves.get(instance.get("name").asText())));
    }
    List<Quota> quotas = new ArrayList<>();
    for (Map.Entry<String, JsonNode> family : source.get("available_vcpus").properties()) {
      for (Market market : Market.values()) {
        long limit = family.getValue().get(market == Market.SPOT ? "spot" : "ondemand").asLong();
        quotas.add(
            new Quota(
                PlaceFilter.ANYWHERE,
                Set.of(family.getKey().toLowerCase(Locale.ROOT)),
                market,
                Quota.Unit.VCPUS,
                limit));
      }
    }
    String name = which.equals("real") ? "paper" : "paper-simulation";
    return new Catalog(name, null, "the vectors", listings, quotas);
  }

  private static Listing listing(JsonNode instance, @Nullable JsonNode curve) {
    Machine machine =
        new Machine(
            "aws",
            instance.get("name").asText(),
            instance.get("type").asText().toLowerCase(Locale.ROOT),
            instance.get("vCPU").asDouble(),
            instance.has("memory") ? DataSize.ofGb(instance.get("memory").asDouble()) : null,
            null,
            Bandwidth.ofGbps(instance.get("network_bandwidth").asDouble()),
            null,
            instance.has("flops") ? instance.get("flops").asDouble() : null,
            curve == null
                ? null
                : new SpeedupCurve(
                    curve.get("a").asDouble(),
                    curve.get("b").asDouble(),
                    curve.get("c").asDouble()));
    return new Listing(
        machine,
        new Place("aws", "us-east-1", null),
        money(instance.get("spot_price")),
        money(instance.get("ondemand_price")));
  }

  /** Returns the amount nearest to the double: the sweep's budgets are i * 0.1. */
  static Money money(JsonNode dollars) {
    return Money.of(BigDecimal.valueOf(dollars.asDouble()));
  }
}
