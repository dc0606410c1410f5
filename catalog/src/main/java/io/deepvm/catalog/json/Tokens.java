package io.deepvm.catalog.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The tokens of one JSON or YAML file. */
public final class Tokens implements Closeable {

  private static final StreamReadConstraints LIMITS =
      StreamReadConstraints.builder()
          .maxStringLength(10_000)
          .maxNameLength(1_000)
          .maxNumberLength(100)
          .maxNestingDepth(20)
          .maxDocumentLength(64L << 20)
          .build();

  private final TextSource source;
  private final JsonParser parser;

  private Tokens(TextSource source, JsonParser parser) {
    this.source = source;
    this.parser = parser;
  }

  /** Opens a JSON file and reads its first token. */
  public static Tokens json(TextSource source) {
    return open(
        source,
        JsonFactory.builder()
            .streamReadConstraints(LIMITS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // so that NaN is refused by the rule it breaks, not by the parser
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build());
  }

  /** Opens a YAML file, or a JSON file read as YAML, and reads its first token. */
  public static Tokens yaml(TextSource source) {
    return open(
        source,
        YAMLFactory.builder()
            .streamReadConstraints(LIMITS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());
  }

  private static Tokens open(TextSource source, JsonFactory factory) {
    try {
      Tokens tokens = new Tokens(source, factory.createParser(source.open()));
      tokens.next();
      return tokens;
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }

  /** Steps to the next token and returns it, or null at the end. */
  public @Nullable JsonToken next() {
    try {
      return parser.nextToken();
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      throw new BadInput(
          "%s%s: %s."
              .formatted(
                  source.label(),
                  at == null
                      ? ""
                      : ", line %d, column %d".formatted(at.getLineNr(), at.getColumnNr()),
                  firstLine(e.getOriginalMessage())),
          "Maybe a comma or a bracket is missing, or a key is there twice.");
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }

  private static String firstLine(String message) {
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }

  public @Nullable JsonToken current() {
    return parser.currentToken();
  }

  /** Checks that the current token opens an object, a list, or what else is wanted. */
  public void require(JsonToken token, String what) {
    if (parser.currentToken() != token) {
      throw failure(
          "there should be %s, not %s.".formatted(what, shown()),
          "Maybe a level of brackets or of indentation is missing.");
    }
  }

  /** Steps to the next key of the object, known to be one of these, or returns null at its end. */
  public @Nullable String nextKey(List<String> known) {
    if (next() == JsonToken.END_OBJECT) {
      return null;
    }
    require(JsonToken.FIELD_NAME, "a key");
    String key = text();
    if (!known.isEmpty() && !known.contains(key)) {
      throw failure(
          "the key '%s' is not known here.".formatted(key),
          Suggestion.maybe(key, known, "Maybe use one of %s.".formatted(String.join(", ", known))));
    }
    return key;
  }

  /** Returns the current token as text; lists and objects have none. */
  public String text() {
    try {
      String text = parser.getText();
      return text == null ? "" : text;
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }

  /** Steps to the next token, which must be text or a number, and returns it as text. */
  public String nextScalar(String what) {
    JsonToken token = next();
    if (token == null || !token.isScalarValue() || token == JsonToken.VALUE_NULL) {
      throw failure("%s should be one value, not %s.".formatted(what, shown()), "Maybe state it.");
    }
    return text();
  }

  /** Steps to the next token, which must be a number of zero or more, and returns it. */
  public double nextNumber(String what) {
    JsonToken token = next();
    double number = Double.NaN;
    if (token != null && token.isNumeric()) {
      number = Double.parseDouble(text());
    }
    if (!Double.isFinite(number) || number < 0) {
      throw failure(
          "%s should be a number of zero or more, not %s.".formatted(what, shown()),
          "Maybe leave the key out where the value is unknown.");
    }
    return number;
  }

  /** Steps to the next value, a list of texts or one text alone, and returns the texts. */
  public List<String> nextScalars(String what) {
    if (next() != JsonToken.START_ARRAY) {
      JsonToken token = current();
      if (token == null || !token.isScalarValue() || token == JsonToken.VALUE_NULL) {
        throw failure("%s should be a value or a list.".formatted(what), "Maybe state it.");
      }
      return List.of(text());
    }
    List<String> texts = new ArrayList<>();
    for (JsonToken token = next(); token != JsonToken.END_ARRAY; token = next()) {
      if (token == null || !token.isScalarValue()) {
        throw failure("%s should be a plain list.".formatted(what), "Maybe write it like [g, vt].");
      }
      texts.add(text());
    }
    return texts;
  }

  private String shown() {
    JsonToken token = parser.currentToken();
    return token == null
        ? "the end of the file"
        : token.isScalarValue()
            ? "'" + text() + "'"
            : token.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Returns the error at the current token, naming file, line and column. */
  public BadInput failure(String problem, String wayOut) {
    return new BadInput(where() + ": " + problem, wayOut);
  }

  /** Names file, line and column of the current token. */
  public String where() {
    JsonLocation at = parser.currentTokenLocation();
    return "%s, line %d, column %d".formatted(source.label(), at.getLineNr(), at.getColumnNr());
  }

  @Override
  public void close() {
    try {
      parser.close();
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }
}
