package io.deepvm.cli.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.planner.GivenCluster;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Role;
import io.deepvm.workload.YamlFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads a given cluster from YAML; docs/reference/job-file.md describes the keys. */
final class ClusterFile {

  private final YamlFile yaml;
  private final String architecture;
  private final Catalog catalog;

  private ClusterFile(YamlFile yaml, String architecture, Catalog catalog) {
    this.yaml = yaml;
    this.architecture = architecture;
    this.catalog = catalog;
  }

  /** Returns the cluster, its types and prices looked up in the catalog. */
  static GivenCluster read(Path file, String architecture, Catalog catalog) {
    return new ClusterFile(new YamlFile("cluster file", file), architecture, catalog).cluster();
  }

  private GivenCluster cluster() {
    JsonNode root = yaml.parse();
    if (!root.isArray() || root.isEmpty()) {
      throw yaml.bad(
          "is not a list of nodes", "Maybe write - {type: g4dn.xlarge, count: 4, place: aws}.");
    }
    List<GivenCluster.Group> groups = new ArrayList<>();
    for (JsonNode each : root) {
      String path = "[%d].".formatted(groups.size() + 1);
      yaml.requireMap(each, path);
      groups.add(each.has("name") ? own(each, path) : rented(each, path));
    }
    return new GivenCluster(architecture, groups);
  }

  private GivenCluster.Group rented(JsonNode node, String path) {
    yaml.checkKeys(
        node,
        path,
        List.of("type", "count", "place", "market", "usdPerHour", "samplesPerSecond", "role"));
    return group(node, path, offer(node, path, market(node, path, Market.SPOT)));
  }

  private Market market(JsonNode node, String path, Market usual) {
    return node.has("market") ? yaml.choice(node, path, "market", Market.values()) : usual;
  }

  /** Returns the cheapest listing of the type there, at the price stated if one is. */
  private Offer offer(JsonNode node, String path, Market market) {
    String type = yaml.text(node, path, "type");
    PlaceFilter place = new PlaceFilter(yaml.text(node, path, "place"));
    List<Listing> there = catalog.in(List.of(place));
    Money stated = price(node, path);
    Offer offer =
        there.stream()
            .filter(listing -> listing.machine().name().equals(type))
            .map(listing -> offer(listing, market, stated))
            .filter(each -> each != null)
            .min(Comparator.comparing(Offer::pricePerHour).thenComparing(o -> o.place().toString()))
            .orElse(null);
    if (offer == null) {
      Set<String> types = new TreeSet<>();
      there.stream()
          .filter(listing -> listing.price(market) != null)
          .forEach(listing -> types.add(listing.machine().name()));
      throw yaml.bad(
          "has %stype: %s, which the catalog '%s' does not offer on the %s market in %s"
              .formatted(path, type, catalog.name(), market, place),
          Suggestion.maybe(
              type, types, "Maybe state its usdPerHour, or see 'deepvm catalog show'."));
    }
    return offer;
  }

  private static @Nullable Offer offer(Listing listing, Market market, @Nullable Money stated) {
    return stated == null
        ? listing.offer(market)
        : new Offer(listing.machine(), listing.place(), market, stated);
  }

  /** A machine that no catalog lists: one's own, or one rented elsewhere. */
  private GivenCluster.Group own(JsonNode node, String path) {
    yaml.checkKeys(
        node,
        path,
        List.of(
            "name",
            "count",
            "place",
            "market",
            "gpu",
            "gpus",
            "vcpus",
            "usdPerHour",
            "samplesPerSecond",
            "role"));
    Place place = place(node, path);
    Money price = price(node, path);
    Machine machine =
        new Machine(
            place.cloud(),
            yaml.text(node, path, "name"),
            "",
            node.has("vcpus") ? yaml.number(node, path, "vcpus") : 0,
            null,
            node.has("gpu") ? gpus(node, path) : null,
            null,
            null,
            null,
            null);
    return group(
        node,
        path,
        new Offer(
            machine,
            place,
            market(node, path, Market.ON_DEMAND),
            price == null ? Money.ZERO : price));
  }

  private Gpus gpus(JsonNode node, String path) {
    String name = yaml.text(node, path, "gpu");
    Gpu gpu = Hardware.gpu(name);
    if (gpu == null) {
      throw yaml.bad(
          "has %sgpu: %s, which is not a known GPU".formatted(path, name),
          Suggestion.maybe(name, Hardware.gpuNames(), "Maybe drop it and state samplesPerSecond."));
    }
    return new Gpus(gpu, node.has("gpus") ? yaml.count(node, path, "gpus") : 1);
  }

  private Place place(JsonNode node, String path) {
    String text = yaml.text(node, path, "place");
    String[] parts = text.split("/", -1);
    if (parts.length < 2 || parts.length > 3 || text.contains("*") || text.contains("//")) {
      throw yaml.bad(
          "has %splace: %s, which is not one place".formatted(path, text),
          "Maybe write it like on-premise/europe or gcp/us-central1.");
    }
    return new Place(parts[0], parts[1], parts.length == 3 ? parts[2] : null);
  }

  private @Nullable Money price(JsonNode node, String path) {
    if (!node.has("usdPerHour")) {
      return null;
    }
    Money price = yaml.read(node, path, "usdPerHour", Money::parse);
    if (price.compareTo(Money.ZERO) < 0) {
      throw yaml.bad(
          "has %susdPerHour: %s, which is below $0".formatted(path, price),
          "Maybe write 0 for a machine of your own.");
    }
    return price;
  }

  private GivenCluster.Group group(JsonNode node, String path, Offer offer) {
    Role role =
        node.has("role") ? yaml.choice(node, path, "role", Role.values()) : usualRole(offer);
    return new GivenCluster.Group(
        new NodeGroup(role, offer, yaml.count(node, path, "count")),
        node.has("samplesPerSecond") ? yaml.number(node, path, "samplesPerSecond") : null);
  }

  /**
   * Without a GPU a node serves or keeps checkpoints; under single-anchor the on-demand one does.
   */
  private Role usualRole(Offer offer) {
    boolean trains = offer.machine().trains();
    return switch (architecture) {
      case "single-anchor" -> offer.market() == Market.ON_DEMAND ? Role.ANCHOR : Role.WORKER;
      case "tiering" -> trains ? Role.WORKER : Role.ANCHOR;
      case "parameter-server" -> trains ? Role.WORKER : Role.SERVER;
      default -> Role.WORKER;
    };
  }
}
