package io.deepvm.handover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task keeps the rules of SkyPilot's public schema that its parts are subject to: closed sets of
 * keys, kinds of values, and the form of places, names and modes.
 */
class SkyPilotRulesTest {

  private static final YAMLMapper YAML = new YAMLMapper();

  /** The keys of a task that we write, with the kinds of their values; others are refused. */
  private static final Map<String, String> TASK =
      Map.of(
          "name", "STRING",
          "num_nodes", "NUMBER",
          "resources", "OBJECT",
          "workdir", "STRING",
          "file_mounts", "OBJECT",
          "envs", "OBJECT",
          "setup", "STRING",
          "run", "STRING");

  private static final Map<String, String> CHOICE =
      Map.of("infra", "STRING", "instance_type", "STRING", "use_spot", "BOOLEAN");
  private static final Map<String, String> STORE = Map.of("name", "STRING", "mode", "STRING");

  private static final String CLOUD =
      "(aws|azure|gcp|ibm|lambda|scp|oci|runpod|vast|vsphere|cudo|fluidstack|paperspace|do|nebius)";

  @TempDir private Path folder;

  /** Returns what breaks a rule. */
  private static List<String> broken(JsonNode task) {
    List<String> broken = new ArrayList<>();
    closed(task, "task", TASK, broken);
    check(task.path("num_nodes").isIntegralNumber(), "num_nodes is an integer", broken);
    check(task.path("num_nodes").asInt() >= 1, "num_nodes is at least 1", broken);
    JsonNode resources = task.path("resources");
    closed(resources, "resources", Map.of("ordered", "ARRAY"), broken);
    check(!resources.path("ordered").isEmpty(), "there is a choice", broken);
    for (JsonNode choice : resources.path("ordered")) {
      closed(choice, "choice", CHOICE, broken);
      check(
          choice.path("infra").asText().matches(CLOUD + "(/[^/]+(/[^/]+)?)?"),
          "infra is cloud/region/zone",
          broken);
    }
    for (Map.Entry<String, JsonNode> mount : task.path("file_mounts").properties()) {
      check(mount.getKey().startsWith("/"), "a mount is absolute", broken);
      closed(mount.getValue(), "mount", STORE, broken);
      check(
          mount.getValue().path("mode").asText().matches("MOUNT|COPY|MOUNT_CACHED"),
          "a mode is known",
          broken);
      check(
          mount.getValue().path("name").asText().matches("[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]"),
          "a bucket may be called so",
          broken);
    }
    for (Map.Entry<String, JsonNode> variable : task.path("envs").properties()) {
      check(variable.getKey().matches("[a-zA-Z_][a-zA-Z0-9_]*"), "a variable's name", broken);
      check(variable.getValue().isTextual(), "a variable's value is a text", broken);
    }
    check(
        task.path("name").asText().matches("[a-zA-Z]([-_.a-zA-Z0-9]*[a-zA-Z0-9])?"),
        "a task may be called so",
        broken);
    return broken;
  }

  private static void closed(
      JsonNode node, String what, Map<String, String> kinds, List<String> broken) {
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      String kind = kinds.get(entry.getKey());
      check(kind != null, what + " has no key " + entry.getKey(), broken);
      check(
          kind == null || entry.getValue().getNodeType().name().equals(kind),
          "%s.%s is a %s".formatted(what, entry.getKey(), kind),
          broken);
    }
  }

  private static void check(boolean holds, String rule, List<String> broken) {
    if (!holds) {
      broken.add(rule);
    }
  }

  private JsonNode exported(int rank, @Nullable String workdir, String setup) throws IOException {
    Path file = folder.resolve("plan.json");
    try (InputStream in = SkyPilotRulesTest.class.getResourceAsStream("plan.json")) {
      Files.write(file, in == null ? new byte[0] : in.readAllBytes());
    }
    Task task = new Task("9 Lives: ünï", List.of("python3", "t.py"), setup, workdir, null, null);
    return YAML.readTree(Handovers.named("skypilot").text(PlanDocument.read(file, rank), task));
  }

  @Test
  void everyExportedTaskKeepsThem() throws IOException {
    for (int rank = 1; rank <= 3; rank++) {
      assertThat(broken(exported(rank, null, ""))).isEmpty();
      assertThat(broken(exported(rank, ".", "pip install torch"))).isEmpty();
    }
  }

  @Test
  void aTaskThatBreaksOneIsFound() throws IOException {
    ObjectNode task = (ObjectNode) exported(1, null, "");
    task.put("num_node", 2);
    assertThat(broken(task)).containsExactly("task has no key num_node");
    task = (ObjectNode) exported(1, null, "");
    task.put("num_nodes", 1.5);
    assertThat(broken(task)).containsExactly("num_nodes is an integer");
    task = (ObjectNode) exported(1, null, "");
    ((ObjectNode) task.at("/resources/ordered/0")).put("infra", "aws/a/b/c").put("use_spot", "yes");
    assertThat(broken(task))
        .containsExactly("choice.use_spot is a BOOLEAN", "infra is cloud/region/zone");
    task = (ObjectNode) exported(1, null, "");
    ((ObjectNode) task.path("file_mounts").path("/checkpoints")).put("mode", "MOUNTED");
    assertThat(broken(task)).containsExactly("a mode is known");
  }
}
