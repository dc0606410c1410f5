package io.deepvm.places.aws.fake;

import io.deepvm.places.aws.AwsWire;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The answers of the fake EC2, as the documents of the API show them. */
final class FakePages {

  private static final String SPACE = "http://ec2.amazonaws.com/doc/2016-11-15/";

  private FakePages() {}

  static AwsWire.Reply page(String action, String content) {
    return new AwsWire.Reply(
        200,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%1$sResponse xmlns=\"%2$s\">"
                .formatted(action, SPACE)
            + "<requestId>fake</requestId>"
            + content
            + "</%sResponse>".formatted(action));
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  static AwsWire.Reply identity(String account) {
    return new AwsWire.Reply(
        200,
        """
        <GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <GetCallerIdentityResult>
            <Arn>arn:aws:iam::%1$s:user/test</Arn><UserId>AIDAFAKE</UserId><Account>%1$s</Account>
          </GetCallerIdentityResult>
          <ResponseMetadata><RequestId>fake</RequestId></ResponseMetadata>
        </GetCallerIdentityResponse>
        """
            .formatted(account));
  }

  static AwsWire.Reply deniedIdentity() {
    return new AwsWire.Reply(
        403,
        """
        <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <Error>
            <Type>Sender</Type><Code>InvalidClientTokenId</Code>
            <Message>The security token included in the request is invalid.</Message>
          </Error>
          <RequestId>fake</RequestId>
        </ErrorResponse>
        """);
  }

  // --- Tags and filters ---

  static void tags(Map<String, String> form, String kind, Map<String, String> into) {
    for (int i = 1; form.containsKey("TagSpecification.%d.ResourceType".formatted(i)); i++) {
      String prefix = "TagSpecification.%d.".formatted(i);
      if (kind.equals(form.get(prefix + "ResourceType"))) {
        for (int j = 1; form.containsKey(prefix + "Tag.%d.Key".formatted(j)); j++) {
          into.put(
              form.getOrDefault(prefix + "Tag.%d.Key".formatted(j), ""),
              form.getOrDefault(prefix + "Tag.%d.Value".formatted(j), ""));
        }
      }
    }
  }

  static String tagSet(Map<String, String> tags) {
    StringBuilder items = new StringBuilder("<tagSet>");
    tags.forEach(
        (key, value) ->
            items.append(
                "<item><key>%s</key><value>%s</value></item>"
                    .formatted(escaped(key), escaped(value))));
    return items.append("</tagSet>").toString();
  }

  static boolean tagged(Map<String, String> tags, String filter, Collection<String> values) {
    if (filter.equals("tag-key")) {
      return values.stream().anyMatch(tags::containsKey);
    }
    String value = filter.startsWith("tag:") ? tags.get(filter.substring(4)) : null;
    return value != null && values.contains(value);
  }

  /** Whether something passes all filters of a request. */
  static boolean passes(Map<String, String> form, BiPredicate<String, Collection<String>> filter) {
    for (int i = 1; form.containsKey("Filter.%d.Name".formatted(i)); i++) {
      List<String> values = new ArrayList<>();
      for (int j = 1; form.containsKey("Filter.%d.Value.%d".formatted(i, j)); j++) {
        values.add(form.getOrDefault("Filter.%d.Value.%d".formatted(i, j), ""));
      }
      if (!filter.test(form.getOrDefault("Filter.%d.Name".formatted(i), ""), values)) {
        return false;
      }
    }
    return true;
  }

  static boolean passes(Map<String, String> form, FakeInstance instance) {
    return passes(
        form,
        (name, values) ->
            name.equals("instance-id")
                ? values.contains(instance.id)
                : tagged(instance.tags, name, values));
  }

  // --- Instances ---

  private static String instance(FakeInstance each) {
    StringBuilder item = new StringBuilder("<item>");
    item.append("<instanceId>%s</instanceId>".formatted(each.id));
    item.append("<imageId>%s</imageId>".formatted(each.request.getOrDefault("ImageId", "")));
    item.append(state("instanceState", each.state));
    item.append("<reason>%s</reason>".formatted(each.reasonText));
    item.append("<instanceType>%s</instanceType>".formatted(each.type()));
    item.append("<launchTime>%s</launchTime>".formatted(moment(each.launchMs)));
    item.append(
        "<placement><availabilityZoneId>%s</availabilityZoneId><availabilityZone>%s</availabilityZone></placement>"
            .formatted(each.zoneId(), FakeMarket.ZONES.getOrDefault(each.zoneId(), "us-east-1z")));
    if (each.state.equals("running") || each.state.equals("pending")) {
      item.append("<privateIpAddress>%s</privateIpAddress>".formatted(each.address));
    }
    if (each.state.equals("running")) {
      item.append("<ipAddress>%s</ipAddress>".formatted(each.address));
    }
    if (!each.reasonCode.isEmpty()) {
      item.append(
          "<stateReason><code>%s</code><message>%s</message></stateReason>"
              .formatted(each.reasonCode, each.reasonText));
    }
    if (each.isSpot()) {
      item.append("<instanceLifecycle>spot</instanceLifecycle>");
    }
    return item.append(tagSet(each.tags)).append("</item>").toString();
  }

  private static String state(String name, String state) {
    int code =
        switch (state) {
          case "pending" -> 0;
          case "running" -> 16;
          case "shutting-down" -> 32;
          default -> 48;
        };
    return "<%1$s><code>%2$d</code><name>%3$s</name></%1$s>".formatted(name, code, state);
  }

  private static String moment(long ms) {
    return Instant.ofEpochMilli(ms)
        .toString()
        .replace("Z", ".000Z")
        .replaceAll("(\\.\\d{3})\\.000Z", "$1Z");
  }

  static AwsWire.Reply started(FakeInstance instance) {
    return page(
        "RunInstances",
        "<reservationId>r-1</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet>"
            + instance(instance)
            + "</instancesSet>");
  }

  /** Lists instances, five a page. */
  static AwsWire.Reply listed(List<FakeInstance> all, Map<String, String> form) {
    int from = Integer.parseInt(form.getOrDefault("NextToken", "0"));
    int until = Math.min(all.size(), from + 5);
    StringBuilder items = new StringBuilder("<reservationSet>");
    for (FakeInstance each : all.subList(from, until)) {
      items.append("<item><reservationId>r-1</reservationId><ownerId>123456789012</ownerId>");
      items.append("<groupSet/><instancesSet>").append(instance(each));
      items.append("</instancesSet></item>");
    }
    items.append("</reservationSet>");
    if (until < all.size()) {
      items.append("<nextToken>%d</nextToken>".formatted(until));
    }
    return page("DescribeInstances", items.toString());
  }

  static AwsWire.Reply stopping(List<FakeInstance> all) {
    StringBuilder items = new StringBuilder("<instancesSet>");
    for (FakeInstance each : all) {
      items.append("<item><instanceId>%s</instanceId>".formatted(each.id));
      items.append(state("currentState", each.state));
      items.append(state("previousState", "running")).append("</item>");
    }
    return page("TerminateInstances", items.append("</instancesSet>").toString());
  }

  // --- Prices, zones, types, parameters, quotas ---

  /** Lists spot prices: the one at the beginning, and each change since. */
  static AwsWire.Reply prices(FakeMarket market, Map<String, String> form, long nowMs) {
    Map<String, List<String>> filters = new TreeMap<>();
    boolean all =
        passes(
            form,
            (name, values) -> {
              filters.put(name, List.copyOf(values));
              return name.equals("availability-zone-id");
            });
    long from = at(form, "StartTime", nowMs);
    long until = Math.min(nowMs, at(form, "EndTime", nowMs));
    StringBuilder items = new StringBuilder("<spotPriceHistorySet>");
    List<String> zones =
        filters.getOrDefault(
            "availability-zone-id", FakeMarket.ZONES.keySet().stream().sorted().toList());
    for (int i = 1; all && form.containsKey("InstanceType." + i); i++) {
      String type = form.getOrDefault("InstanceType." + i, "");
      zones.forEach(zone -> history(market, zone, type, from, until, items));
    }
    return page(
        "DescribeSpotPriceHistory", items.append("</spotPriceHistorySet><nextToken/>").toString());
  }

  private static void history(
      FakeMarket market, String zone, String type, long from, long until, StringBuilder items) {
    List<FakeMarket.Point> points = market.points(zone + " " + type);
    for (int i = points.size() - 1; i >= 0; i--) {
      FakeMarket.Point point = points.get(i);
      boolean later = i + 1 < points.size() && points.get(i + 1).fromMs() <= from;
      if (point.fromMs() <= until && !later) {
        items.append(
            "<item><instanceType>%s</instanceType><productDescription>Linux/UNIX</productDescription><spotPrice>%s</spotPrice><timestamp>%s</timestamp><availabilityZone>%s</availabilityZone><availabilityZoneId>%s</availabilityZoneId></item>"
                .formatted(
                    type,
                    java.math.BigDecimal.valueOf(point.micros(), 6).toPlainString(),
                    moment(point.fromMs()),
                    FakeMarket.ZONES.getOrDefault(zone, ""),
                    zone));
      }
    }
  }

  private static long at(Map<String, String> form, String name, long otherwise) {
    String text = form.get(name);
    return text == null ? otherwise : Instant.parse(text).toEpochMilli();
  }

  static AwsWire.Reply zones() {
    StringBuilder items = new StringBuilder("<availabilityZoneInfo>");
    new TreeMap<>(FakeMarket.ZONES)
        .forEach(
            (id, name) ->
                items.append(
                    "<item><zoneName>%s</zoneName><zoneState>available</zoneState><regionName>us-east-1</regionName><zoneId>%s</zoneId></item>"
                        .formatted(name, id)));
    return page("DescribeAvailabilityZones", items.append("</availabilityZoneInfo>").toString());
  }

  static AwsWire.Reply types(FakeMarket market, Map<String, String> form) {
    StringBuilder items = new StringBuilder("<instanceTypeSet>");
    for (int i = 1; form.containsKey("InstanceType." + i); i++) {
      String type = form.getOrDefault("InstanceType." + i, "");
      Integer cores = market.cores().get(type);
      if (cores == null) {
        return FakeEc2.error(
            400, "InvalidInstanceType", "The type %s does not exist.".formatted(type));
      }
      items.append(
          "<item><instanceType>%s</instanceType><vCpuInfo><defaultVCpus>%d</defaultVCpus></vCpuInfo></item>"
              .formatted(type, cores));
    }
    return page("DescribeInstanceTypes", items.append("</instanceTypeSet>").toString());
  }

  private static final Pattern NAMED = Pattern.compile("\"(Name|QuotaCode)\":\"([^\"]*)\"");

  static AwsWire.Reply json(String target, String body, FakeMarket market) {
    Matcher matcher = NAMED.matcher(body);
    String name = matcher.find() ? matcher.group(2) : "";
    if (target.equals("AmazonSSM.GetParameter")) {
      return name.contains("/ami-id") || name.contains("ami-")
          ? new AwsWire.Reply(
              200, "{\"Parameter\":{\"Name\":\"%s\",\"Value\":\"ami-0fake\"}}".formatted(name))
          : new AwsWire.Reply(
              400, "{\"__type\":\"ParameterNotFound\",\"message\":\"no such parameter\"}");
    }
    boolean spot =
        name.equals("L-34B43A08") || name.equals("L-3819A6DF") || name.equals("L-7212CCBC");
    return new AwsWire.Reply(
        200, "{\"Quota\":{\"QuotaCode\":\"%s\",\"Value\":%s}}".formatted(name, market.quota(spot)));
  }
}
