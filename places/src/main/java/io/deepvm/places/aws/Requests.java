package io.deepvm.places.aws;

import io.deepvm.catalog.Market;
import io.deepvm.places.Order;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/** The parameters of RunInstances, and the tags that everything of a run carries. */
final class Requests {

  /** Names the run. */
  static final String RUN = "deepvm:run";

  /** Names the node. */
  static final String NODE = "deepvm:node";

  /** Says when the run ends at the latest. */
  static final String UNTIL = "deepvm:until";

  /** Says who started the run. */
  static final String OWNER = "deepvm:owner";

  private Requests() {}

  /** Returns the tags of a run. */
  static Map<String, String> tags(AwsSettings settings) {
    Map<String, String> tags = new TreeMap<>();
    tags.put(RUN, settings.run());
    tags.put(OWNER, settings.owner());
    tags.put(UNTIL, Instant.ofEpochMilli(settings.ceiling().untilMs()).toString());
    return tags;
  }

  /** Returns tags as parameters. */
  static Map<String, String> tags(int number, String kind, Map<String, String> tags) {
    String prefix = "TagSpecification.%d.".formatted(number);
    Map<String, String> form = new TreeMap<>();
    form.put(prefix + "ResourceType", kind);
    int i = 0;
    for (Map.Entry<String, String> tag : new TreeMap<>(tags).entrySet()) {
      i++;
      form.put(prefix + "Tag.%d.Key".formatted(i), tag.getKey());
      form.put(prefix + "Tag.%d.Value".formatted(i), tag.getValue());
    }
    return form;
  }

  /** Returns the token of an order: it names run, node and pool, and no other order has it. */
  static String token(AwsSettings settings, Order order) {
    String name = settings.run() + "/" + order.node() + "/" + order.pool();
    return "dv-" + Keys.digest(name).substring(0, 40);
  }

  /** Returns the parameters of one instance, without the version. */
  static Map<String, String> one(AwsSettings settings, Order order, String group, String userData) {
    AwsSettings.Offered pool = settings.pools().get(order.pool());
    Map<String, String> form = new TreeMap<>();
    form.put("ClientToken", token(settings, order));
    form.put("MinCount", "1");
    form.put("MaxCount", "1");
    form.put("ImageId", settings.login().image());
    form.put("InstanceType", pool.instanceType());
    form.put("Placement.AvailabilityZoneId", pool.zoneId());
    form.put("InstanceInitiatedShutdownBehavior", "terminate");
    form.put("MetadataOptions.HttpTokens", "required");
    form.put("MetadataOptions.HttpEndpoint", "enabled");
    form.put("MetadataOptions.HttpPutResponseHopLimit", "2");
    form.put("SecurityGroupId.1", group);
    form.put(
        "UserData", Base64.getEncoder().encodeToString(userData.getBytes(StandardCharsets.UTF_8)));
    if (order.market() == Market.SPOT) {
      form.put("InstanceMarketOptions.MarketType", "spot");
      form.put("InstanceMarketOptions.SpotOptions.SpotInstanceType", "one-time");
      form.put("InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior", "terminate");
      form.put("InstanceMarketOptions.SpotOptions.MaxPrice", usd(pool.mostSpotMicros()));
    }
    Map<String, String> tags = tags(settings);
    tags.put(NODE, order.node());
    tags.put("Name", settings.run() + "/" + order.node());
    form.putAll(tags(1, "instance", tags));
    form.putAll(tags(2, "volume", tags));
    return form;
  }

  private static String usd(long micros) {
    return BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString();
  }
}
