package io.deepvm.places.aws;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.places.ledger.Tariff;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The requests of EC2, STS, SSM and Service Quotas that runs need; each call blocks. */
final class Ec2 {

  /** The version of the API that the parameters are of. */
  private static final String VERSION = "2016-11-15";

  /** The version of the API of STS. */
  private static final String STS_VERSION = "2011-06-15";

  private static final int MOST_PAGES = 1000;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final AwsWire wire;

  Ec2(AwsWire wire) {
    this.wire = wire;
  }

  /** Sends a request and returns its answer. */
  private Xml ask(String action, Map<String, String> parameters) throws IOException {
    Map<String, String> form = new TreeMap<>(parameters);
    form.put("Action", action);
    form.put("Version", VERSION);
    return send("ec2", form);
  }

  private Xml send(String service, Map<String, String> form) throws IOException {
    AwsWire.Reply reply = wire.query(service, form);
    if (reply.status() == 200) {
      return Xml.parse(reply.body());
    }
    String code = "";
    String message = reply.body().strip();
    try {
      Xml answer = Xml.parse(reply.body());
      // EC2 wraps the error once more than STS does.
      code = answer.text("Errors", "Error", "Code") + answer.text("Error", "Code");
      message = answer.text("Errors", "Error", "Message") + answer.text("Error", "Message");
    } catch (IOException e) {
      // A server between here and AWS answered.
      message = message.length() > 200 ? message.substring(0, 200) : message;
    }
    throw new Ec2Failure(reply.status(), code, message);
  }

  /** Returns the number of the account that the credentials are of. */
  String account() throws IOException {
    Map<String, String> form = Map.of("Action", "GetCallerIdentity", "Version", STS_VERSION);
    String number = send("sts", form).text("GetCallerIdentityResult", "Account");
    if (number.isEmpty()) {
      throw new IOException("STS names no account.");
    }
    return number;
  }

  /** Starts one instance, or returns the one that this request started before. */
  Instance run(Map<String, String> request) throws IOException {
    List<Xml> items = ask("RunInstances", request).items("instancesSet");
    if (items.size() != 1) {
      throw new IOException("RunInstances answered with %d instances.".formatted(items.size()));
    }
    return Instance.of(items.get(0));
  }

  /** Asks whether the request would be allowed, without carrying it out. */
  void tryRun(Map<String, String> request) throws IOException {
    Map<String, String> dry = new TreeMap<>(request);
    dry.put("DryRun", "true");
    try {
      ask("RunInstances", dry);
    } catch (Ec2Failure e) {
      if (!e.code().equals("DryRunOperation")) {
        throw e;
      }
    }
  }

  void terminate(String id) throws IOException {
    Xml unused = ask("TerminateInstances", Map.of("InstanceId.1", id));
  }

  /** Returns those of the instances that EC2 lists by now. */
  List<Instance> describe(Collection<String> ids) throws IOException {
    return ids.isEmpty() ? List.of() : instances(filter(1, "instance-id", ids));
  }

  /** Returns the instances that carry a tag with any value, or with this one if it is not empty. */
  List<Instance> tagged(String key, String value) throws IOException {
    return instances(
        value.isEmpty()
            ? filter(1, "tag-key", List.of(key))
            : filter(1, "tag:" + key, List.of(value)));
  }

  private List<Instance> instances(Map<String, String> filter) throws IOException {
    List<Instance> all = new ArrayList<>();
    for (Xml page : pages("DescribeInstances", filter)) {
      for (Xml reservation : page.items("reservationSet")) {
        reservation.items("instancesSet").forEach(item -> all.add(Instance.of(item)));
      }
    }
    return all;
  }

  private List<Xml> pages(String action, Map<String, String> parameters) throws IOException {
    List<Xml> pages = new ArrayList<>();
    String next = "";
    do {
      Map<String, String> form = new TreeMap<>(parameters);
      if (!next.isEmpty()) {
        form.put("NextToken", next);
      }
      Xml page = ask(action, form);
      pages.add(page);
      next = page.text("nextToken");
    } while (!next.isEmpty() && pages.size() < MOST_PAGES);
    return pages;
  }

  private static Map<String, String> filter(int number, String name, Collection<String> values) {
    Map<String, String> form = new TreeMap<>();
    form.put("Filter.%d.Name".formatted(number), name);
    int i = 0;
    for (String value : values) {
      form.put("Filter.%d.Value.%d".formatted(number, ++i), value);
    }
    return form;
  }

  // --- Security groups ---

  /** Returns the ids of the groups with a tag. */
  List<String> groups(String key, String value) throws IOException {
    List<String> ids = new ArrayList<>();
    for (Xml page : pages("DescribeSecurityGroups", filter(1, "tag:" + key, List.of(value)))) {
      page.items("securityGroupInfo").forEach(item -> ids.add(item.text("groupId")));
    }
    return ids;
  }

  /** Returns the tags of all groups that carry a tag key, by their ids. */
  Map<String, Map<String, String>> groupsTagged(String key) throws IOException {
    Map<String, Map<String, String>> all = new TreeMap<>();
    for (Xml page : pages("DescribeSecurityGroups", filter(1, "tag-key", List.of(key)))) {
      for (Xml item : page.items("securityGroupInfo")) {
        Map<String, String> tags = new TreeMap<>();
        item.items("tagSet").forEach(tag -> tags.put(tag.text("key"), tag.text("value")));
        all.put(item.text("groupId"), tags);
      }
    }
    return all;
  }

  /** Returns the id of the group with this name; empty if EC2 lists none. */
  String groupNamed(String name) throws IOException {
    for (Xml page : pages("DescribeSecurityGroups", filter(1, "group-name", List.of(name)))) {
      for (Xml item : page.items("securityGroupInfo")) {
        return item.text("groupId");
      }
    }
    return "";
  }

  String createGroup(String name, Map<String, String> tags) throws IOException {
    Map<String, String> form = new TreeMap<>(Requests.tags(1, "security-group", tags));
    form.put("GroupName", name);
    form.put("GroupDescription", "One run of DeepVM");
    return ask("CreateSecurityGroup", form).text("groupId");
  }

  /** Opens port 22 to an address range, and everything among the members. */
  void open(String group, String cidr) throws IOException {
    Map<String, String> form = new TreeMap<>();
    form.put("GroupId", group);
    form.put("IpPermissions.1.IpProtocol", "tcp");
    form.put("IpPermissions.1.FromPort", "22");
    form.put("IpPermissions.1.ToPort", "22");
    form.put("IpPermissions.1.IpRanges.1.CidrIp", cidr);
    form.put("IpPermissions.2.IpProtocol", "-1");
    form.put("IpPermissions.2.Groups.1.GroupId", group);
    try {
      Xml unused = ask("AuthorizeSecurityGroupIngress", form);
    } catch (Ec2Failure e) {
      if (!e.code().equals("InvalidPermission.Duplicate")) {
        throw e;
      }
    }
  }

  /** Deletes a group; one that does not exist counts as deleted. */
  void deleteGroup(String id) throws IOException {
    try {
      Xml unused = ask("DeleteSecurityGroup", Map.of("GroupId", id));
    } catch (Ec2Failure e) {
      if (!e.code().startsWith("InvalidGroup.NotFound") && !e.code().startsWith("InvalidGroupId")) {
        throw e;
      }
    }
  }

  // --- Prices, zones, quotas, images ---

  /** Returns the spot prices of a type in a zone from a moment on, in the order of time. */
  List<Tariff.Price> spotPrices(String zoneId, String type, long fromMs, long untilMs)
      throws IOException {
    Map<String, String> form = new TreeMap<>();
    form.putAll(filter(1, "availability-zone-id", List.of(zoneId)));
    form.put("InstanceType.1", type);
    form.put("ProductDescription.1", "Linux/UNIX");
    form.put("StartTime", Instant.ofEpochMilli(fromMs).toString());
    form.put("EndTime", Instant.ofEpochMilli(untilMs).toString());
    List<Tariff.Price> all = new ArrayList<>();
    for (Xml page : pages("DescribeSpotPriceHistory", form)) {
      for (Xml item : page.items("spotPriceHistorySet")) {
        all.add(price(item));
      }
    }
    all.sort(Comparator.comparingLong(Tariff.Price::fromMs));
    return all;
  }

  /** Returns the spot prices of now of types in all zones of the region, as EC2 writes them. */
  List<AwsAccount.SpotQuote> spotQuotes(Collection<String> types, Instant now) throws IOException {
    Map<String, String> form = new TreeMap<>();
    int i = 0;
    for (String type : types) {
      form.put("InstanceType." + ++i, type);
    }
    form.put("ProductDescription.1", "Linux/UNIX");
    // Both ends at one moment: only the prices that hold then.
    form.put("StartTime", now.toString());
    form.put("EndTime", now.toString());
    Map<String, String> ids = new TreeMap<>();
    zones().forEach((id, name) -> ids.put(name, id));
    List<AwsAccount.SpotQuote> all = new ArrayList<>();
    for (Xml page : pages("DescribeSpotPriceHistory", form)) {
      for (Xml item : page.items("spotPriceHistorySet")) {
        String id = item.text("availabilityZoneId");
        String zone = id.isEmpty() ? ids.getOrDefault(item.text("availabilityZone"), "") : id;
        all.add(new AwsAccount.SpotQuote(zone, item.text("instanceType"), item.text("spotPrice")));
      }
    }
    return all;
  }

  private static Tariff.Price price(Xml item) throws IOException {
    try {
      double usd = Double.parseDouble(item.text("spotPrice"));
      long micros = Math.round(usd * 1e6);
      if (micros <= 0) {
        throw new IOException("EC2 states a spot price of %s.".formatted(usd));
      }
      long fromMs = Instant.parse(item.text("timestamp")).toEpochMilli();
      return new Tariff.Price(fromMs, micros);
    } catch (NumberFormatException | DateTimeParseException e) {
      throw new IOException("EC2 states a spot price that cannot be read.", e);
    }
  }

  /** Returns the zones of the region: their names in this account by their ids. */
  Map<String, String> zones() throws IOException {
    Map<String, String> zones = new TreeMap<>();
    for (Xml item : ask("DescribeAvailabilityZones", Map.of()).items("availabilityZoneInfo")) {
      zones.put(item.text("zoneId"), item.text("zoneName"));
    }
    return zones;
  }

  /** Returns the vCPUs of instance types. */
  Map<String, Integer> cores(Collection<String> types) throws IOException {
    Map<String, String> form = new TreeMap<>();
    int i = 0;
    for (String type : types) {
      form.put("InstanceType." + ++i, type);
    }
    Map<String, Integer> cores = new TreeMap<>();
    for (Xml page : pages("DescribeInstanceTypes", form)) {
      for (Xml item : page.items("instanceTypeSet")) {
        try {
          cores.put(
              item.text("instanceType"), Integer.parseInt(item.text("vCpuInfo", "defaultVCpus")));
        } catch (NumberFormatException e) {
          throw new IOException("EC2 states vCPUs that cannot be read.", e);
        }
      }
    }
    return cores;
  }

  /** Returns the text of a parameter of SSM. */
  String parameter(String name) throws IOException {
    String body = JSON.createObjectNode().put("Name", name).toString();
    return json("ssm", "AmazonSSM.GetParameter", body).path("Parameter").path("Value").asText();
  }

  /** Returns the value of a quota of EC2. */
  double quota(String code) throws IOException {
    String body =
        JSON.createObjectNode().put("ServiceCode", "ec2").put("QuotaCode", code).toString();
    JsonNode value =
        json("servicequotas", "ServiceQuotasV20190624.GetServiceQuota", body)
            .path("Quota")
            .path("Value");
    if (!value.isNumber()) {
      throw new IOException("The answer about the quota %s has no value.".formatted(code));
    }
    return value.asDouble();
  }

  private JsonNode json(String service, String target, String body) throws IOException {
    AwsWire.Reply reply = wire.json(service, target, body);
    JsonNode answer;
    try {
      answer = JSON.readTree(reply.body());
    } catch (JsonProcessingException e) {
      throw new Ec2Failure(reply.status(), "", "the answer is no JSON");
    }
    if (reply.status() == 200) {
      return answer;
    }
    String type = answer.path("__type").asText();
    String message = answer.path("message").asText(answer.path("Message").asText());
    throw new Ec2Failure(reply.status(), type.substring(type.lastIndexOf('#') + 1), message);
  }
}
