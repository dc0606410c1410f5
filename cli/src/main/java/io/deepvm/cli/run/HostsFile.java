package io.deepvm.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.base.BadInput;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.workload.YamlFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the hosts that ssh reaches from YAML; docs/how-to/ssh-hosts.md describes the keys. */
public final class HostsFile {

  private static final String PREFIX = "ssh:";
  private static final List<String> KEYS =
      List.of(
          "host",
          "name",
          "user",
          "port",
          "identity",
          "knownHosts",
          "authorizedKeys",
          "address",
          "folder",
          "gpus",
          "type");

  private static final String WORD = "[A-Za-z0-9_][A-Za-z0-9._-]{0,62}";

  private final YamlFile yaml;

  private HostsFile(Path file) {
    this.yaml = new YamlFile("hosts file", file);
  }

  /** Returns the hosts of a place that is written as ssh:FILE. */
  public static List<SshHost> ofPlace(String text) {
    if (!text.startsWith(PREFIX) || text.length() == PREFIX.length()) {
      throw new BadInput(
          "'%s' is no place that DeepVM can use: ssh:FILE is.".formatted(text),
          "Maybe write the hosts into a file and name it: ssh:hosts.yaml.");
    }
    return read(Path.of(text.substring(PREFIX.length())));
  }

  /** Returns the hosts in the order of the file. */
  static List<SshHost> read(Path file) {
    return new HostsFile(file).hosts();
  }

  private List<SshHost> hosts() {
    JsonNode root = yaml.parse();
    if (!root.isArray() || root.isEmpty()) {
      throw yaml.bad("is not a list of hosts", "Maybe write - {host: gpu1, user: me}.");
    }
    List<SshHost> hosts = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Map<String, Integer> gpus = new HashMap<>();
    for (JsonNode each : root) {
      String path = "[%d].".formatted(hosts.size() + 1);
      SshHost host = host(each, path);
      if (!names.add(host.name())) {
        throw yaml.bad(
            "has two hosts called %s".formatted(host.name()), "Maybe give one another name.");
      }
      Integer before = gpus.putIfAbsent(host.type(), host.gpus());
      if (before != null && before != host.gpus()) {
        throw yaml.bad(
            "has %sgpus: %d, and another host of the type %s has %d"
                .formatted(path, host.gpus(), host.type(), before),
            "Maybe give one of them another type.");
      }
      hosts.add(host);
    }
    return hosts;
  }

  private SshHost host(JsonNode node, String path) {
    yaml.requireMap(node, path.substring(0, path.length() - 1));
    yaml.checkKeys(node, path, KEYS);
    String host = word(node, path, "host", "[A-Za-z0-9_][A-Za-z0-9._:%-]{0,252}");
    String name = node.has("name") ? word(node, path, "name", WORD) : host;
    SshHost.Login login =
        new SshHost.Login(
            host,
            node.has("user") ? word(node, path, "user", WORD) : null,
            node.has("port") ? port(node, path) : null,
            file(node, path, "identity"),
            file(node, path, "knownHosts"),
            node.has("authorizedKeys")
                ? word(node, path, "authorizedKeys", "[A-Za-z0-9/.][A-Za-z0-9._/-]{0,200}")
                : null);
    return new SshHost(
        name,
        login,
        node.has("address") ? word(node, path, "address", "[0-9a-fA-F.:]{2,45}") : null,
        node.has("folder")
            ? word(node, path, "folder", "[A-Za-z0-9/][A-Za-z0-9._/-]{0,200}")
            : SshHost.FOLDER,
        node.has("type") ? word(node, path, "type", WORD) : SshHost.TYPE,
        node.has("gpus") ? gpus(node, path) : 0);
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

  private int port(JsonNode node, String path) {
    int port = yaml.count(node, path, "port");
    if (port > 0xffff) {
      throw yaml.bad(
          "has %sport: %d, which is above 65535".formatted(path, port), "Maybe leave it out: 22.");
    }
    return port;
  }

  private int gpus(JsonNode node, String path) {
    return yaml.text(node, path, "gpus").equals("0") ? 0 : yaml.count(node, path, "gpus");
  }

  /** Returns the absolute path of a file that must be there; null if none is named. */
  private @Nullable String file(JsonNode node, String path, String key) {
    if (!node.has(key)) {
      return null;
    }
    String text = yaml.text(node, path, key);
    Path file =
        text.startsWith("~/")
            ? Path.of(System.getProperty("user.home"), text.substring(2))
            : Path.of(text).toAbsolutePath();
    if (!Files.isReadable(file)) {
      throw yaml.bad(
          "has %s%s: %s, which cannot be read".formatted(path, key, text),
          "Maybe the path is wrong.");
    }
    return file.toString();
  }
}
