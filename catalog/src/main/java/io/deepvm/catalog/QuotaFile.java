package io.deepvm.catalog;

import com.fasterxml.jackson.core.JsonToken;
import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.json.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The quotas of an account, in a YAML or JSON file of their own. */
public final class QuotaFile {

  private QuotaFile() {}

  /** Reads a file whose only key, "quotas", lists them. */
  public static List<Quota> read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new BadInput(
          "There is no quota file '%s'.".formatted(file), "Maybe check the name and the folder.");
    }
    List<Quota> quotas = new ArrayList<>();
    try (Tokens tokens = Tokens.yaml(TextSource.of(file))) {
      tokens.require(JsonToken.START_OBJECT, "the key 'quotas' with a list");
      while (tokens.nextKey(List.of("quotas")) != null) {
        tokens.next();
        tokens.require(JsonToken.START_ARRAY, "a list of quotas");
        while (tokens.next() != JsonToken.END_ARRAY) {
          quotas.add(entry(tokens));
        }
      }
    }
    return List.copyOf(quotas);
  }

  private static Quota entry(Tokens tokens) {
    tokens.require(JsonToken.START_OBJECT, "a quota");
    String where = tokens.where();
    Map<String, List<String>> entry = new LinkedHashMap<>();
    for (String key = tokens.nextKey(QuotaEntry.KEYS);
        key != null;
        key = tokens.nextKey(QuotaEntry.KEYS)) {
      entry.put(key, tokens.nextScalars(key));
    }
    return QuotaEntry.of(entry, where);
  }
}
