package io.deepvm.workload;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small YAML (or JSON, which YAML contains) file that people write: unknown keys are errors.
 *
 * @param kind what the file is, for messages: "job file"
 */
public record YamlFile(String kind, Path file) {

  private static final long MOST_BYTES = 1 << 20;

  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** Returns the content of the file. */
  public JsonNode parse() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw bad("is larger than 1 MiB", "Maybe it is not a %s.".formatted(kind));
      }
      return YAML.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw invalid(e);
    } catch (IOException e) {
      throw bad("cannot be read", "Maybe the path is wrong.");
    }
  }

  /** Returns the content of a text. */
  JsonNode parse(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      throw invalid(e);
    }
  }

  private BadInput invalid(JsonProcessingException e) {
    JsonLocation where = e.getLocation();
    String place =
        where == null
            ? ""
            : " at line %d, column %d".formatted(where.getLineNr(), where.getColumnNr());
    return bad(
        "is not valid YAML%s".formatted(place),
        "Maybe a colon, a quote or the indentation is off, or a key stands twice.");
  }

  /** Returns the number under a key; the path before the key is for messages. */
  public double number(JsonNode parent, String path, String key) {
    String text = text(parent, path, key);
    try {
      // YAML takes 1e9 for a text; a person means a number.
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // falls through to the one message for all of these
    }
    throw bad(
        "has %s%s: %s, which is not a number".formatted(path, key, text),
        "Maybe write it like 1.2e9.");
  }

  /** Returns the whole number from 1 up under a key. */
  public int count(JsonNode parent, String path, String key) {
    double value = number(parent, path, key);
    if (value < 1 || value != Math.rint(value) || value > Integer.MAX_VALUE) {
      throw bad(
          "has %s%s: %s, which is not a whole number from 1 up"
              .formatted(path, key, parent.get(key).asText()),
          "Maybe write it like 32.");
    }
    return (int) value;
  }

  /** Returns the text under a key. */
  public String text(JsonNode parent, String path, String key) {
    JsonNode node = required(parent, path, key);
    if (node.isContainerNode()) {
      throw bad(
          "has %s%s: %s, which is not one value".formatted(path, key, node),
          "Maybe write %s: and one value after it.".formatted(key));
    }
    return node.asText();
  }

  /** Returns what is under a key, which must be there. */
  public JsonNode required(JsonNode parent, String path, String key) {
    JsonNode node = parent.get(key);
    if (node == null) {
      throw bad("lacks %s%s".formatted(path, key), "Maybe add it, or drop %s".formatted(path));
    }
    return node;
  }

  /** Returns what the text under a key says, by a rule that knows neither the file nor the key. */
  public <T> T read(JsonNode parent, String path, String key, Function<String, T> rule) {
    String text = text(parent, path, key);
    return under(path + key, () -> rule.apply(text));
  }

  /** Returns what is made of a part of the file; complaints that do not name it are made to. */
  public <T extends @Nullable Object> T under(String part, Supplier<T> making) {
    try {
      return making.get();
    } catch (BadInput e) {
      String message = String.valueOf(e.getMessage());
      throw message.startsWith(name())
          ? e
          : new BadInput("%s, %s: %s".formatted(name(), part, message), e.wayOut());
    }
  }

  /** Returns the value that prints like the text under a key. */
  public <E> E choice(JsonNode parent, String path, String key, E[] values) {
    String text = text(parent, path, key);
    List<String> known = Arrays.stream(values).map(Object::toString).toList();
    int index = known.indexOf(text);
    if (index < 0) {
      throw bad(
          "has %s%s: %s, which is none of %s".formatted(path, key, text, String.join(", ", known)),
          Suggestion.maybe(text, known, "Maybe leave it out."));
    }
    return values[index];
  }

  /** Returns the yes or no under a key. */
  public boolean flag(JsonNode parent, String path, String key) {
    return choice(parent, path, key, new Boolean[] {true, false});
  }

  /** Refuses a map with other keys than these. */
  public void checkKeys(JsonNode node, String path, List<String> known) {
    requireMap(node, path.isEmpty() ? "the file" : path.substring(0, path.length() - 1));
    node.fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                throw bad(
                    "has the unknown key '%s%s'".formatted(path, key),
                    Suggestion.maybe(
                        key, known, "Maybe one of %s.".formatted(String.join(", ", known))));
              }
            });
  }

  /** Refuses what is not a map. */
  public void requireMap(JsonNode node, String path) {
    if (!node.isObject()) {
      throw bad("has no keys in %s".formatted(path), "Maybe write key: value, one per line.");
    }
  }

  /** Returns a complaint about the file. */
  public BadInput bad(String problem, String wayOut) {
    return new BadInput("%s %s.".formatted(name(), problem), wayOut);
  }

  private String name() {
    return "The %s %s".formatted(kind, file);
  }
}
