package io.deepvm.places.aws.fake;

import io.deepvm.places.aws.AwsWire;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The security groups of the fake EC2. */
final class FakeGroups {

  private record Group(String id, String name, Map<String, String> tags, List<String> rules) {}

  private final Map<String, Group> groups = new LinkedHashMap<>();
  private int numbers;

  boolean exists(String id) {
    return groups.containsKey(id);
  }

  int count() {
    return groups.size();
  }

  AwsWire.Reply answer(
      String action, Map<String, String> form, Collection<FakeInstance> instances) {
    return switch (action) {
      case "CreateSecurityGroup" -> create(form);
      case "AuthorizeSecurityGroupIngress" -> authorize(form);
      case "DescribeSecurityGroups" -> describe(form);
      default -> delete(form, instances);
    };
  }

  private AwsWire.Reply create(Map<String, String> form) {
    String name = form.getOrDefault("GroupName", "");
    if (groups.values().stream().anyMatch(group -> group.name().equals(name))) {
      return FakeEc2.error(400, "InvalidGroup.Duplicate", "The group %s exists.".formatted(name));
    }
    Map<String, String> tags = new TreeMap<>();
    FakePages.tags(form, "security-group", tags);
    String id = "sg-%017x".formatted(++numbers);
    groups.put(id, new Group(id, name, tags, new ArrayList<>()));
    return FakePages.page(
        "CreateSecurityGroup", "<return>true</return><groupId>" + id + "</groupId>");
  }

  private AwsWire.Reply authorize(Map<String, String> form) {
    Group group = groups.get(form.getOrDefault("GroupId", ""));
    if (group == null) {
      return FakeEc2.error(400, "InvalidGroup.NotFound", "The group does not exist.");
    }
    String rule = form.getOrDefault("IpPermissions.1.IpRanges.1.CidrIp", "");
    if (group.rules().contains(rule)) {
      return FakeEc2.error(400, "InvalidPermission.Duplicate", "The rule exists.");
    }
    group.rules().add(rule);
    return FakePages.page("AuthorizeSecurityGroupIngress", "<return>true</return>");
  }

  private AwsWire.Reply describe(Map<String, String> form) {
    StringBuilder items = new StringBuilder();
    for (Group group : groups.values()) {
      boolean passes =
          FakePages.passes(
              form,
              (name, values) ->
                  name.equals("group-name")
                      ? values.contains(group.name())
                      : FakePages.tagged(group.tags(), name, values));
      if (passes) {
        items.append(
            "<item><groupId>%s</groupId><groupName>%s</groupName>"
                .formatted(group.id(), FakePages.escaped(group.name())));
        items.append("<groupDescription>fake</groupDescription>");
        items.append(FakePages.tagSet(group.tags())).append("</item>");
      }
    }
    return FakePages.page(
        "DescribeSecurityGroups", "<securityGroupInfo>" + items + "</securityGroupInfo>");
  }

  private AwsWire.Reply delete(Map<String, String> form, Collection<FakeInstance> instances) {
    String id = form.getOrDefault("GroupId", "");
    if (!groups.containsKey(id)) {
      return FakeEc2.error(400, "InvalidGroup.NotFound", "The group does not exist.");
    }
    boolean used =
        instances.stream()
            .anyMatch(each -> each.exists() && id.equals(each.request.get("SecurityGroupId.1")));
    if (used) {
      return FakeEc2.error(400, "DependencyViolation", "The group is in use.");
    }
    groups.remove(id);
    return FakePages.page("DeleteSecurityGroup", "<return>true</return>");
  }
}
