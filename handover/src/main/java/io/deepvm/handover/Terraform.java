package io.deepvm.handover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.BadInput;
import java.util.List;

/** Terraform's JSON for AWS: an aws_instance for each group of like nodes. */
final class Terraform implements Handover {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Override
  public String tool() {
    return "terraform";
  }

  @Override
  public String file() {
    return "main.tf.json";
  }

  @Override
  public String text(HandedPlan plan, Task task) {
    for (PlannedNodes group : plan.nodes()) {
      if (!group.site().cloud().equals("aws")) {
        throw new BadInput(
            "The plan has %s, and the Terraform files are for AWS only.".formatted(group.words()),
            "Maybe plan with --place aws, or export to skypilot.");
      }
    }
    List<String> regions =
        plan.nodes().stream().map(group -> group.site().region()).distinct().toList();
    if (regions.size() > 1) {
      throw new BadInput(
          "The plan has nodes in %s, and one Terraform file is for one region."
              .formatted(String.join(" and ", regions)),
          "Maybe plan with --place aws/%s.".formatted(regions.get(0)));
    }
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode comment = root.putArray("//");
    Processes processes = new Processes(plan, task);
    notes(plan).about(processes).lines().forEach(comment::add);
    ObjectNode provider =
        root.putObject("terraform").putObject("required_providers").putObject("aws");
    provider.put("source", "hashicorp/aws").put("version", ">= 5.0");
    root.putObject("provider").putObject("aws").put("region", literal(regions.get(0)));
    variables(root.putObject("variable"), plan);
    data(root.putObject("data"), plan);
    ObjectNode resource = root.putObject("resource");
    firewall(resource.putObject("aws_security_group").putObject("run"), task);
    ObjectNode instances = resource.putObject("aws_instance");
    ObjectNode outputs = root.putObject("output");
    for (int i = 0; i < plan.nodes().size(); i++) {
      String name = name(plan.nodes().get(i), i);
      instance(instances.putObject(name), plan.nodes().get(i), i, processes);
      outputs.putObject(name).put("value", "${aws_instance.%s[*].private_ip}".formatted(name));
    }
    return print(root);
  }

  private static Notes notes(HandedPlan plan) {
    Notes notes = new Notes(plan);
    notes.lost("A lost spot machine is not replaced until 'terraform apply' runs again.");
    notes.lost("No plan ranked below is tried if there is no capacity.");
    notes.lost("MASTER_ADDR: a machine does not know the first worker's address when it starts.");
    if (!plan.others().isEmpty()) {
      notes.lost("Nodes that keep checkpoints or parameters are rented, and nothing starts there.");
    }
    notes.lost("Each machine ends itself after var.lease_minutes; nothing renews that.");
    return notes;
  }

  private static void variables(ObjectNode variables, HandedPlan plan) {
    text(variables, "my_cidr", "The addresses that may use ssh, like 203.0.113.7/32");
    text(variables, "key_name", "The EC2 key pair for ssh");
    ObjectNode image = variables.putObject("ami_parameter");
    image.put("type", "string").put("description", "The SSM parameter that names the image");
    image.put(
        "default",
        "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id");
    ObjectNode lease = variables.putObject("lease_minutes");
    lease.put("type", "number").put("description", "After this time a machine ends itself");
    Double seconds = plan.seconds();
    // Twice the undisturbed time, since spot machines are lost on the way.
    lease.put("default", seconds == null ? 720 : Math.max(60, (long) Math.ceil(seconds / 30)));
  }

  private static void text(ObjectNode variables, String name, String description) {
    variables.putObject(name).put("type", "string").put("description", description);
  }

  private static void data(ObjectNode data, HandedPlan plan) {
    data.putObject("aws_ssm_parameter").putObject("image").put("name", "${var.ami_parameter}");
    ObjectNode zones = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < plan.nodes().size(); i++) {
      String zone = plan.nodes().get(i).site().zone();
      if (zone != null) {
        // Zone ids are the same in all accounts; zone names are not.
        ObjectNode filter =
            zones.putObject(name(plan.nodes().get(i), i)).putArray("filter").addObject();
        filter.put("name", "zone-id").putArray("values").add(literal(zone));
      }
    }
    if (!zones.isEmpty()) {
      data.set("aws_availability_zones", zones);
    }
  }

  private static void firewall(ObjectNode group, Task task) {
    group.put("name_prefix", task.plainName() + "-");
    ArrayNode ingress = group.putArray("ingress");
    rule(ingress.addObject(), 22, "tcp", false).putArray("cidr_blocks").add("${var.my_cidr}");
    rule(ingress.addObject(), 0, "-1", true).putArray("cidr_blocks");
    rule(group.putArray("egress").addObject(), 0, "-1", false)
        .putArray("cidr_blocks")
        .add("0.0.0.0/0");
    tags(group, task);
  }

  /** The JSON syntax wants every attribute of a rule. */
  private static ObjectNode rule(ObjectNode rule, int port, String protocol, boolean self) {
    rule.put("description", self ? "nodes of the run" : "");
    rule.put("from_port", port).put("to_port", port).put("protocol", protocol).put("self", self);
    rule.putArray("ipv6_cidr_blocks");
    rule.putArray("prefix_list_ids");
    rule.putArray("security_groups");
    return rule;
  }

  private static void instance(
      ObjectNode instance, PlannedNodes group, int index, Processes processes) {
    instance.put("count", group.count());
    instance.put("ami", "${nonsensitive(data.aws_ssm_parameter.image.value)}");
    instance.put("instance_type", literal(group.instanceType()));
    instance.put("key_name", "${var.key_name}");
    instance.putArray("vpc_security_group_ids").add("${aws_security_group.run.id}");
    if (group.site().zone() != null) {
      instance.put(
          "availability_zone",
          "${data.aws_availability_zones.%s.names[0]}".formatted(name(group, index)));
    }
    if (group.spot()) {
      ObjectNode market = instance.putArray("instance_market_options").addObject();
      market.put("market_type", "spot");
      ObjectNode spot = market.putArray("spot_options").addObject();
      spot.put("spot_instance_type", "one-time").put("instance_interruption_behavior", "terminate");
    }
    instance.put("instance_initiated_shutdown_behavior", "terminate");
    ObjectNode metadata = instance.putArray("metadata_options").addObject();
    metadata.put("http_tokens", "required").put("http_put_response_hop_limit", 2);
    instance.put("user_data", userData(group, index, processes));
    tags(instance, processes.task());
  }

  private static String userData(PlannedNodes group, int index, Processes processes) {
    Task task = processes.task();
    StringBuilder script = new StringBuilder("#!/bin/sh\nshutdown -h +${var.lease_minutes}\n");
    if (group.isWorker()) {
      int each = processes.of(group);
      script.append("export WORLD_SIZE=%d LOCAL_WORLD_SIZE=%d\n".formatted(processes.all(), each));
      // The workers come first among the nodes.
      script.append(
          "FIRST_RANK=$((%d + ${count.index} * %d))\n".formatted(processes.before(index), each));
      if (!task.setup().isEmpty()) {
        script.append(literal(task.setup())).append('\n');
      }
      script.append("set -- ").append(literal(task.commandLine())).append('\n');
      script.append(literal(Processes.launcher()));
    }
    return script.toString();
  }

  private static void tags(ObjectNode resource, Task task) {
    resource.putObject("tags").put("Name", task.plainName()).put("deepvm:run", task.plainName());
  }

  private static String name(PlannedNodes group, int index) {
    return group.role().replaceAll("[^a-z]", "") + "_" + index;
  }

  /** Returns the text so that Terraform reads no expression in it. */
  private static String literal(String text) {
    return text.replace("${", "$${").replace("%{", "%%{");
  }

  private static String print(ObjectNode root) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
