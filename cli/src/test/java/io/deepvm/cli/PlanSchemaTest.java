package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The published schema of plans describes each key of real plans, and no other. */
class PlanSchemaTest {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", ".."));
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode schema =
      JSON.readTree(ROOT.resolve("docs/reference/plans.schema.json").toFile());

  PlanSchemaTest() throws IOException {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--max-price-per-hour 3",
        "--max-price-per-hour 3 --catalog paper",
        "--max-price-per-hour 10 --job examples/resnet50.yaml --deadline 24h",
        "--max-price-per-hour 2 --job examples/roberta-xlm.yaml --architecture averaging",
        "--max-price-per-hour 0.01",
      })
  void realPlansFollowTheSchema(String options) throws IOException {
    JsonNode plans = JSON.readTree(planned(options));
    assertThat(problems(plans)).isEmpty();
  }

  @Test
  void aWrongPlanIsFound() throws IOException {
    String wrong =
        "{\"schema\": \"deepvm/plans/v2\", \"catalog\": 3, \"plans\": [], \"extra\": true}";
    assertThat(problems(JSON.readTree(wrong)))
        .containsExactlyInAnyOrder(
            "/schema is none of [\"deepvm/plans/v1\"]",
            "/catalog is no object",
            "/extra is not described",
            "/notes is missing");
  }

  private static String planned(String options) {
    List<String> words = new ArrayList<>(List.of("plan", "--output", "json"));
    for (String word : options.split(" ", -1)) {
      words.add(word.startsWith("examples/") ? ROOT.resolve(word).toString() : word);
    }
    StringWriter out = new StringWriter();
    PrintWriter err = new PrintWriter(new StringWriter());
    Main.run(
        new Terminal(new PrintWriter(out), err, false, false, true, Clock.systemUTC()),
        words.toArray(String[]::new));
    return out.toString();
  }

  private List<String> problems(JsonNode value) {
    List<String> problems = new ArrayList<>();
    check("", schema, value, problems);
    return problems;
  }

  /** Checks the keywords that the schema uses: $ref, enum, type, items, properties, required. */
  private void check(String at, JsonNode rule, JsonNode value, List<String> problems) {
    if (rule.has("$ref")) {
      check(at, schema.at(rule.get("$ref").asText().substring(1)), value, problems);
      return;
    }
    if (rule.has("enum")) {
      boolean known = false;
      for (JsonNode one : rule.get("enum")) {
        known |= one.equals(value);
      }
      if (!known) {
        problems.add(at + " is none of " + rule.get("enum"));
      }
    }
    if (rule.has("type") && !isOfType(rule.get("type"), value)) {
      problems.add(at + " is no " + rule.get("type").asText());
      return;
    }
    for (int i = 0; value.isArray() && i < value.size(); i++) {
      check(at + "/" + i, rule.get("items"), value.get(i), problems);
    }
    if (value.isObject() && rule.has("properties")) {
      for (Map.Entry<String, JsonNode> key : value.properties()) {
        JsonNode below = rule.get("properties").get(key.getKey());
        if (below == null) {
          problems.add(at + "/" + key.getKey() + " is not described");
        } else {
          check(at + "/" + key.getKey(), below, key.getValue(), problems);
        }
      }
      for (JsonNode required : rule.path("required")) {
        if (!value.has(required.asText())) {
          problems.add(at + "/" + required.asText() + " is missing");
        }
      }
    }
  }

  private static boolean isOfType(JsonNode type, JsonNode value) {
    if (type.isArray()) {
      boolean any = false;
      for (JsonNode one : type) {
        any |= isOfType(one, value);
      }
      return any;
    }
    return switch (type.asText()) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      default -> throw new IllegalArgumentException("The type " + type + " is not checked here.");
    };
  }
}
