package io.deepvm.places.notice;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/** Reads what metadata services answer; anything odd is an IOException, never a notice. */
final class Answers {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Answers() {}

  static JsonNode json(String text) throws IOException {
    try {
      JsonNode node = JSON.readTree(text);
      if (node == null || !node.isObject()) {
        throw new IOException("the metadata service gave no JSON object");
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new IOException("the metadata service gave no JSON", e);
    }
  }

  static String text(JsonNode node, String field) throws IOException {
    JsonNode value = node.path(field);
    if (!value.isTextual()) {
      throw new IOException("the metadata service gave no %s".formatted(field));
    }
    return value.asText();
  }

  static Instant instant(String text) throws IOException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IOException("the metadata service gave no time: " + text, e);
    }
  }
}
