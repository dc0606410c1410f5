package io.deepvm.market.interruption;

import com.fasterxml.jackson.core.JsonToken;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.json.Tokens;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the public file of AWS's Spot Advisor: {@code {"spot_advisor": {"us-east-1": {"Linux":
 * {"g5.xlarge": {"s": 60, "r": 4}}}}}}, where r is the number of the band.
 */
final class SpotAdvisorJson {

  private final Tokens tokens;
  private final Interruptions read;

  private SpotAdvisorJson(TextSource source, Tokens tokens) {
    this.tokens = tokens;
    this.read = new Interruptions(source.stem());
  }

  static Interruptions read(TextSource source) {
    try (Tokens tokens = Tokens.json(source)) {
      SpotAdvisorJson file = new SpotAdvisorJson(source, tokens);
      tokens.require(JsonToken.START_OBJECT, "an object");
      for (String key = tokens.nextKey(List.of()); key != null; key = tokens.nextKey(List.of())) {
        tokens.next();
        if (key.equals("spot_advisor")) {
          file.regions();
        } else {
          file.skip();
        }
      }
      return file.read;
    }
  }

  private void regions() {
    tokens.require(JsonToken.START_OBJECT, "an object of regions");
    for (String region = next(); region != null; region = next()) {
      tokens.next();
      tokens.require(JsonToken.START_OBJECT, "an object of systems");
      for (String system = next(); system != null; system = next()) {
        tokens.next();
        if (system.equals("Linux")) {
          types(region);
        } else {
          skip();
        }
      }
    }
  }

  private void types(String region) {
    tokens.require(JsonToken.START_OBJECT, "an object of instance types");
    for (String type = next(); type != null; type = next()) {
      tokens.next();
      tokens.require(JsonToken.START_OBJECT, "an object with 'r'");
      for (String key = next(); key != null; key = next()) {
        double value = tokens.nextNumber("'%s' of %s".formatted(key, type));
        if (key.equals("r")) {
          read.put(type, region, null, band(value));
        }
      }
    }
  }

  private Band band(double number) {
    if (number != Math.rint(number) || number >= Band.count()) {
      throw tokens.failure(
          "there is no band of interruptions %s.".formatted(number),
          "Maybe the file is of a newer format; bands are numbered from 0 to 4.");
    }
    return Band.numbered((int) number);
  }

  private @Nullable String next() {
    return tokens.nextKey(List.of());
  }

  /** Steps over the value that begins at the current token. */
  private void skip() {
    int depth = 0;
    for (JsonToken token = tokens.current(); token != null; token = tokens.next()) {
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      if (depth == 0) {
        return;
      }
    }
  }
}
