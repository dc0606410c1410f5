package io.deepvm.catalog.deepvm;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.SpeedupCurve;
import io.deepvm.catalog.json.Tokens;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One entry of the list of instances. */
final class PaperInstance {

  private static final List<String> KEYS =
      List.of(
          "name",
          "type",
          "ondemand_price",
          "spot_price",
          "vCPU",
          "memory",
          "network_bandwidth",
          "flops",
          "a",
          "b",
          "c");

  /** The curves that the original keeps in its program, by name, when the file has none. */
  private static final Map<String, SpeedupCurve> CURVES =
      Map.of(
          "g3s.xlarge", new SpeedupCurve(0.1408559584, 14.49263334, 13.53250952),
          "g4dn.xlarge", new SpeedupCurve(0.1338806402, 12.87424514, 6.176666667),
          "g5.xlarge", new SpeedupCurve(0.08533428072, 20.06669931, 4.962225551));

  private final Tokens tokens;
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, Double> numbers = new HashMap<>();

  private PaperInstance(Tokens tokens) {
    this.tokens = tokens;
  }

  /** Reads the object that the current token opens. */
  static Listing read(Tokens tokens, Place place) {
    PaperInstance instance = new PaperInstance(tokens);
    for (String key = tokens.nextKey(KEYS); key != null; key = tokens.nextKey(KEYS)) {
      if (key.equals("name") || key.equals("type")) {
        instance.texts.put(key, tokens.nextScalar(key));
      } else {
        double number = tokens.nextNumber(key);
        if (number == 0 && (key.endsWith("_price") || key.equals("vCPU"))) {
          throw tokens.failure(
              "%s is zero.".formatted(key),
              "Maybe leave the key out where the machine is not offered.");
        }
        instance.numbers.put(key, number);
      }
    }
    return instance.listing(place);
  }

  private Listing listing(Place place) {
    Money spot = price("spot_price");
    Money onDemand = price("ondemand_price");
    if (spot == null && onDemand == null) {
      throw missing("spot_price or ondemand_price");
    }
    return new Listing(machine(place.cloud()), place, spot, onDemand);
  }

  private Machine machine(String cloud) {
    String name = text("name");
    Double vcpus = numbers.get("vCPU");
    Double memory = numbers.get("memory");
    Double network = numbers.get("network_bandwidth");
    if (vcpus == null) {
      throw missing("vCPU");
    }
    return new Machine(
        cloud,
        name,
        text("type").toLowerCase(Locale.ROOT),
        vcpus,
        memory == null ? null : DataSize.ofGb(memory),
        null,
        network == null ? Hardware.network(cloud, name) : Bandwidth.ofGbps(network),
        Hardware.deviceCopy(cloud, name),
        numbers.get("flops"),
        curve(name));
  }

  private @Nullable SpeedupCurve curve(String name) {
    Double a = numbers.get("a");
    Double b = numbers.get("b");
    Double c = numbers.get("c");
    if (a != null && b != null && c != null) {
      return new SpeedupCurve(a, b, c);
    }
    if (a != null || b != null || c != null) {
      throw tokens.failure(
          "the instance '%s' has some of a, b and c, but not all.".formatted(name),
          "Maybe state all three, or none.");
    }
    return CURVES.get(name);
  }

  private String text(String key) {
    String text = texts.get(key);
    if (text == null || text.isBlank()) {
      throw missing(key);
    }
    return text;
  }

  private @Nullable Money price(String key) {
    Double price = numbers.get(key);
    if (price == null) {
      return null;
    }
    Money money;
    try {
      money = Money.of(BigDecimal.valueOf(price));
    } catch (ArithmeticException e) {
      money = Money.ZERO;
    }
    if (!money.isPositive()) {
      throw tokens.failure(
          "the %s %s of '%s' is no price.".formatted(key, price, texts.get("name")),
          "Maybe it is not in dollars per hour.");
    }
    return money;
  }

  private BadInput missing(String key) {
    return tokens.failure(
        "the instance '%s' has no %s.".formatted(texts.getOrDefault("name", "without a name"), key),
        "Maybe the file is of another kind.");
  }
}
