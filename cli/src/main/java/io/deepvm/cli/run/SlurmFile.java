package io.deepvm.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.BadInput;
import io.deepvm.base.Durations;
import io.deepvm.places.slurm.Slurm;
import io.deepvm.places.slurm.SlurmPool;
import io.deepvm.places.slurm.SlurmSettings;
import io.deepvm.workload.YamlFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads which nodes of a Slurm cluster a run may have; docs/how-to/slurm.md has the keys. */
final class SlurmFile {

  /** The place without a file: all nodes of the default partition. */
  static final String PLACE = "slurm";

  private static final String PREFIX = PLACE + ":";
  private static final List<String> KEYS = List.of("time", "notice", "address", "pools");
  private static final List<String> POOL_KEYS =
      List.of("name", "partition", "nodes", "gpus", "options");
  private static final String WORD = "[A-Za-z0-9_][A-Za-z0-9._-]{0,62}";

  private static final double DAY_SECONDS = 24 * 3600;
  private static final double NOTICE_SECONDS = 60;
  private static final double POLL_SECONDS = 2;

  private final YamlFile yaml;

  private SlurmFile(Path file) {
    this.yaml = new YamlFile("Slurm file", file);
  }

  /** Whether the text names a Slurm cluster. */
  static boolean isPlace(String text) {
    return text.equals(PLACE) || text.startsWith(PREFIX);
  }

  /** Returns the settings of a place that is written as slurm or slurm:FILE. */
  static SlurmSettings ofPlace(String text, String run) {
    return text.equals(PLACE)
        ? usual(run)
        : new SlurmFile(Path.of(text.substring(PREFIX.length()))).settings(run);
  }

  private static SlurmSettings usual(String run) {
    try {
      for (String line : new Slurm().partitions()) {
        String[] words = line.split("\\|", -1);
        if (words.length == 4 && words[0].endsWith("*")) {
          String name = words[0].substring(0, words[0].length() - 1);
          int nodes = Integer.parseInt(words[3].strip());
          SlurmPool pool = new SlurmPool(name, null, nodes, 0, List.of());
          return new SlurmSettings(
              run, List.of(pool), DAY_SECONDS, NOTICE_SECONDS, POLL_SECONDS, null);
        }
      }
    } catch (IOException | NumberFormatException e) {
      throw new BadInput(
          "Slurm does not answer: %s.".formatted(e.getMessage()),
          "Maybe run this on a login node of the cluster.");
    }
    throw new BadInput(
        "The cluster has no default partition.",
        "Maybe name one in a file: --on slurm:slurm.yaml.");
  }

  private SlurmSettings settings(String run) {
    JsonNode root = yaml.parse();
    yaml.requireMap(root, "");
    yaml.checkKeys(root, "", KEYS);
    JsonNode list = root.path("pools");
    if (!list.isArray() || list.isEmpty()) {
      throw yaml.bad("has no list of pools", "Maybe write pools: [{partition: gpu, nodes: 4}].");
    }
    List<SlurmPool> pools = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode each : list) {
      SlurmPool pool = pool(each, "pools[%d].".formatted(pools.size() + 1));
      if (!names.add(pool.name())) {
        throw yaml.bad(
            "has two pools called %s".formatted(pool.name()), "Maybe give one another name.");
      }
      pools.add(pool);
    }
    return new SlurmSettings(
        run,
        pools,
        seconds(root, "time", DAY_SECONDS),
        seconds(root, "notice", NOTICE_SECONDS),
        POLL_SECONDS,
        root.has("address") ? word(root, "", "address", "[0-9a-fA-F.:]{2,45}") : null);
  }

  private SlurmPool pool(JsonNode node, String path) {
    yaml.requireMap(node, path.substring(0, path.length() - 1));
    yaml.checkKeys(node, path, POOL_KEYS);
    String partition = node.has("partition") ? word(node, path, "partition", WORD) : null;
    String name =
        node.has("name") ? word(node, path, "name", WORD) : partition == null ? "node" : partition;
    int gpus =
        !node.has("gpus") || yaml.text(node, path, "gpus").equals("0")
            ? 0
            : yaml.count(node, path, "gpus");
    List<String> options = new ArrayList<>();
    for (JsonNode option : node.path("options")) {
      if (!option.asText().startsWith("-") || option.asText().contains("\n")) {
        throw yaml.bad(
            "has %soptions with '%s', which is no option of sbatch"
                .formatted(path, option.asText()),
            "Maybe write options: [--constraint=a100].");
      }
      options.add(option.asText());
    }
    return new SlurmPool(name, partition, yaml.count(node, path, "nodes"), gpus, options);
  }

  private double seconds(JsonNode node, String key, double usual) {
    return node.has(key) ? Durations.parse(yaml.text(node, "", key)).toMillis() / 1e3 : usual;
  }

  private String word(JsonNode node, String path, String key, String allowed) {
    String text = yaml.text(node, path, key);
    if (!text.matches(allowed)) {
      throw yaml.bad(
          "has %s%s: %s, which cannot be used as such".formatted(path, key, text),
          "Maybe leave out blanks, quotes and other special characters.");
    }
    return text;
  }
}
