package io.deepvm.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.deepvm.cli.console.Terminal;
import io.deepvm.workload.YamlFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Defaults of options, from a file that people write: names of options under the name of their
 * command. The command line and the environment come first.
 */
final class ConfigFile implements IDefaultValueProvider {

  static final String NAME = "deepvm.yaml";

  /** Stands between the values of an option that has several; no command line has it. */
  private static final String SEPARATOR = "\u001f";

  private final YamlFile file;
  private final IdentityHashMap<ArgSpec, String> defaults = new IdentityHashMap<>();

  private ConfigFile(Path file) {
    this.file = new YamlFile("config file", file);
  }

  /** Returns the file of a folder, else that of the user, or null where there is neither. */
  static @Nullable Path find(Path folder, Map<String, String> environment) {
    List<Path> places = new ArrayList<>();
    places.add(folder.resolve(NAME));
    String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
    String home = environment.getOrDefault("HOME", "");
    if (!config.isEmpty()) {
      places.add(Path.of(config, "deepvm", NAME));
    } else if (!home.isEmpty()) {
      places.add(Path.of(home, ".config", "deepvm", NAME));
    }
    return places.stream().filter(Files::exists).findFirst().orElse(null);
  }

  /** Gives the commands the defaults of a file; what it does not know is refused. */
  static ConfigFile apply(Path file, CommandLine all) {
    ConfigFile config = new ConfigFile(file);
    JsonNode content = config.file.parse();
    if (!content.isMissingNode() && !content.isNull()) {
      config.read(content, "", all);
    }
    all.setDefaultValueProvider(config);
    return config;
  }

  private void read(JsonNode node, String path, CommandLine command) {
    Map<String, OptionSpec> options = options(command.getCommandSpec());
    List<String> known = new ArrayList<>(command.getSubcommands().keySet());
    known.addAll(options.keySet());
    file.checkKeys(node, path, known);
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      CommandLine child = command.getSubcommands().get(entry.getKey());
      OptionSpec option = options.get(entry.getKey());
      if (child != null) {
        read(entry.getValue(), path + entry.getKey() + ".", child);
      } else if (option != null) {
        put(option, values(entry.getValue(), path + entry.getKey(), option));
      }
    }
  }

  /** Returns the options that may have a default, by their names without dashes. */
  private static Map<String, OptionSpec> options(CommandSpec command) {
    Map<String, OptionSpec> options = new TreeMap<>();
    for (OptionSpec option : command.options()) {
      if (!option.hidden() && !option.usageHelp() && !option.versionHelp()) {
        options.put(option.longestName().substring("--".length()), option);
      }
    }
    return options;
  }

  private List<String> values(JsonNode node, String key, OptionSpec option) {
    List<String> values = new ArrayList<>();
    if (node.isArray() && option.isMultiValue()) {
      node.forEach(value -> values.add(value(value, key)));
    } else if (node.isObject() && option.typeInfo().isMap()) {
      node.properties().forEach(e -> values.add(e.getKey() + "=" + value(e.getValue(), key)));
    } else {
      values.add(value(node, key));
    }
    return values;
  }

  private String value(JsonNode node, String key) {
    if (node.isContainerNode() || node.isNull()) {
      throw file.bad(
          "has %s: %s, which is not one value".formatted(key, node),
          "Maybe write one value, or leave the key out.");
    }
    return node.asText();
  }

  private void put(OptionSpec option, List<String> values) {
    if (values.isEmpty()) {
      return;
    }
    if (values.size() == 1 || !option.splitRegex().isEmpty()) {
      defaults.put(option, String.join(",", values));
      return;
    }
    OptionSpec several = OptionSpec.builder(option).splitRegex(SEPARATOR).build();
    CommandSpec command = option.command();
    command.remove(option);
    command.addOption(several);
    defaults.put(several, String.join(SEPARATOR, values));
  }

  @Override
  public @Nullable String defaultValue(ArgSpec option) {
    // what the environment says comes first
    return option.defaultValue() == null ? defaults.get(option) : null;
  }

  /** Says which defaults a command takes from the file, if any. */
  void announce(ParseResult parsed, Terminal terminal) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    List<String> taken = new ArrayList<>();
    for (OptionSpec option : last.commandSpec().options()) {
      String value = defaultValue(option);
      if (value != null && !last.hasMatchedOption(option)) {
        taken.add(option.longestName() + " " + value.replace(SEPARATOR, " "));
      }
    }
    if (!taken.isEmpty()) {
      terminal
          .err()
          .println("Defaults from %s: %s".formatted(file.file(), String.join(", ", taken)));
    }
  }

  /** Returns the file's name and a comma if it is the source of an option's value, else nothing. */
  String source(@Nullable ArgSpec option, String[] args) {
    return option instanceof OptionSpec o
            && defaultValue(o) != null
            && List.of(args).stream().noneMatch(a -> a.split("=", 2)[0].equals(o.longestName()))
        ? file.file() + ", "
        : "";
  }
}
