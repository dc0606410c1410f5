package io.deepvm.handover;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.BadInput;
import java.util.List;
import java.util.Map;

/** A Kubernetes JobSet: a replicated job for each group of like workers. */
final class JobSet implements Handover {

  private static final int PORT = 29500;
  private static final int GRACE_SECONDS = 120;
  private static final int RESTARTS = 10;

  /** How each cloud labels and taints its spot nodes. */
  private static final Map<String, List<String>> SPOT =
      Map.of(
          "aws", List.of("eks.amazonaws.com/capacityType", "SPOT"),
          "gcp", List.of("cloud.google.com/gke-spot", "true"),
          "azure", List.of("kubernetes.azure.com/scalesetpriority", "spot"));

  @Override
  public String tool() {
    return "jobset";
  }

  @Override
  public String file() {
    return "jobset.yaml";
  }

  @Override
  public String text(HandedPlan plan, Task task) {
    if (task.image() == null) {
      throw new BadInput(
          "A JobSet needs a container image.", "Maybe add --image pytorch/pytorch:latest.");
    }
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("apiVersion", "jobset.x-k8s.io/v1alpha2");
    root.put("kind", "JobSet");
    root.putObject("metadata").put("name", task.plainName());
    ObjectNode spec = root.putObject("spec");
    ObjectNode failures = spec.putObject("failurePolicy");
    failures.put("maxRestarts", RESTARTS);
    ObjectNode rule = failures.putArray("rules").addObject();
    rule.put("name", "disruption");
    rule.put("action", "RestartJobSetAndIgnoreMaxRestarts");
    rule.putArray("onJobFailureReasons").add("PodFailurePolicy");
    ArrayNode jobs = spec.putArray("replicatedJobs");
    List<PlannedNodes> workers = plan.workers();
    for (int i = 0; i < workers.size(); i++) {
      job(jobs.addObject(), workers.get(i), i, new Processes(plan, task));
    }
    return notes(plan).about(new Processes(plan, task)).comment() + Yaml.of(root);
  }

  private static Notes notes(HandedPlan plan) {
    Notes notes = new Notes(plan);
    if (!plan.others().isEmpty()) {
      notes.lost("Nodes that keep checkpoints or parameters: let the command save to a bucket.");
    }
    notes.lost("A node that is lost restarts all pods; a disruption does not count as a restart.");
    notes.lost("Prices and places: the node pools of the cluster decide what is rented.");
    notes.lost("--setup and --workdir: both belong into the image.");
    return notes;
  }

  private static void job(ObjectNode job, PlannedNodes group, int index, Processes processes) {
    job.put("name", "workers-" + index);
    job.put("replicas", 1);
    ObjectNode spec = job.putObject("template").putObject("spec");
    spec.put("parallelism", group.count());
    spec.put("completions", group.count());
    spec.put("completionMode", "Indexed");
    spec.put("backoffLimit", 0);
    ObjectNode rule = spec.putObject("podFailurePolicy").putArray("rules").addObject();
    rule.put("action", "FailJob");
    ObjectNode condition = rule.putArray("onPodConditions").addObject();
    condition.put("type", "DisruptionTarget").put("status", "True");
    ObjectNode pod = spec.putObject("template").putObject("spec");
    pod.put("restartPolicy", "Never");
    pod.put("terminationGracePeriodSeconds", GRACE_SECONDS);
    selector(pod, group);
    container(pod.putArray("containers").addObject(), group, index, processes);
  }

  private static void selector(ObjectNode pod, PlannedNodes group) {
    ObjectNode selector = pod.putObject("nodeSelector");
    selector.put("node.kubernetes.io/instance-type", group.instanceType());
    selector.put("topology.kubernetes.io/region", group.site().region());
    List<String> label = SPOT.get(group.site().cloud());
    if (group.spot() && label != null) {
      selector.put(label.get(0), label.get(1));
      ObjectNode toleration = pod.putArray("tolerations").addObject();
      toleration.put("key", label.get(0)).put("operator", "Equal");
      toleration.put("value", label.get(1)).put("effect", "NoSchedule");
    }
  }

  private static void container(
      ObjectNode container, PlannedNodes group, int index, Processes processes) {
    Task task = processes.task();
    container.put("name", "worker");
    container.put("image", task.image());
    ArrayNode command = container.putArray("command");
    command.add("sh").add("-c");
    command.add(
        literal(
            "FIRST_RANK=$((FIRST_RANK + JOB_COMPLETION_INDEX * LOCAL_WORLD_SIZE))\n"
                + Processes.launcher()));
    command.add("worker");
    task.command().forEach(word -> command.add(literal(word)));
    ArrayNode env = container.putArray("env");
    variable(env, "FIRST_RANK", Integer.toString(processes.before(index)));
    variable(env, "WORLD_SIZE", Integer.toString(processes.all()));
    variable(env, "LOCAL_WORLD_SIZE", Integer.toString(processes.of(group)));
    String name = task.plainName();
    variable(env, "MASTER_ADDR", "%s-workers-0-0-0.%s".formatted(name, name));
    variable(env, "MASTER_PORT", Integer.toString(PORT));
    if (group.gpus() > 0) {
      container.putObject("resources").putObject("limits").put("nvidia.com/gpu", group.gpus());
    }
  }

  /** Kubernetes replaces $(NAME) in commands; $$ stands for one $. */
  private static String literal(String text) {
    return text.replace("$", "$$");
  }

  private static void variable(ArrayNode env, String name, String value) {
    env.addObject().put("name", name).put("value", value);
  }
}
