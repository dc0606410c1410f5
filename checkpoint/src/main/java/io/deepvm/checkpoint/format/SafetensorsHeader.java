package io.deepvm.checkpoint.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.deepvm.base.BadInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The head of a safetensors file: eight bytes of length (little endian), then JSON that says where
 * each tensor lies in the bytes after it.
 */
public record SafetensorsHeader(List<Entry> entries, Map<String, String> metadata) {

  /** The largest JSON that the format allows. */
  public static final int MAX_JSON = 100_000_000;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(5)
                  .maxDocumentLength(MAX_JSON)
                  .maxStringLength(Shard.MAX_METADATA)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  /** One tensor and the range of its bytes, counted from the end of the header. */
  public record Entry(TensorSpec tensor, long begin, long end) {}

  public SafetensorsHeader {
    entries = List.copyOf(entries);
    metadata = Map.copyOf(metadata);
  }

  /**
   * Returns length and JSON, filled up with spaces so that the tensors start at a multiple of 8.
   */
  public byte[] toBytes() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(new byte[Long.BYTES]);
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      if (!metadata.isEmpty()) {
        json.writeObjectFieldStart(TensorSpec.METADATA);
        for (Map.Entry<String, String> entry : new TreeMap<>(metadata).entrySet()) {
          json.writeStringField(entry.getKey(), entry.getValue());
        }
        json.writeEndObject();
      }
      for (Entry entry : entries) {
        json.writeObjectFieldStart(entry.tensor().name());
        json.writeStringField("dtype", entry.tensor().dtype().name());
        json.writeArrayFieldStart("shape");
        for (long dimension : entry.tensor().shape()) {
          json.writeNumber(dimension);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("data_offsets");
        json.writeNumber(entry.begin());
        json.writeNumber(entry.end());
        json.writeEndArray();
        json.writeEndObject();
      }
      json.writeEndObject();
    }
    while (out.size() % 8 != 0) {
      out.write(' ');
    }
    byte[] bytes = out.toByteArray();
    if (bytes.length - Long.BYTES > MAX_JSON) {
      throw new IOException(
          "The safetensors header (%d bytes) is larger than the %d bytes of the format."
              .formatted(bytes.length - Long.BYTES, MAX_JSON));
    }
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(bytes.length - Long.BYTES);
    return bytes;
  }

  /** Returns the size of the JSON as stated in the first eight bytes, if the file can hold it. */
  public static int jsonBytes(ByteBuffer firstEight, long fileBytes) throws CorruptCheckpoint {
    long length =
        firstEight.duplicate().order(ByteOrder.LITTLE_ENDIAN).getLong(firstEight.position());
    if (length < 2 || length > MAX_JSON || length > fileBytes - Long.BYTES) {
      throw new CorruptCheckpoint(
          "A safetensors file of %d bytes cannot have a header of %d bytes."
              .formatted(fileBytes, length));
    }
    return (int) length;
  }

  /** Reads the JSON of a file with this many bytes after its header, trusting nothing in it. */
  public static SafetensorsHeader parse(byte[] json, long dataBytes) throws CorruptCheckpoint {
    List<Entry> entries = new ArrayList<>();
    Map<String, String> metadata = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(json)) {
      expect(parser.nextToken(), JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        expect(parser.nextToken(), JsonToken.START_OBJECT);
        if (name.equals(TensorSpec.METADATA)) {
          while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            expect(parser.nextToken(), JsonToken.VALUE_STRING);
            metadata.put(key, parser.getText());
          }
        } else {
          entries.add(entry(parser, name));
        }
      }
      expect(parser.currentToken(), JsonToken.END_OBJECT);
      if (parser.nextToken() != null) {
        throw new CorruptCheckpoint("The safetensors header goes on after its end.");
      }
    } catch (CorruptCheckpoint e) {
      throw e;
    } catch (IOException | BadInput | IllegalArgumentException e) {
      throw new CorruptCheckpoint("The safetensors header cannot be read: " + e.getMessage(), e);
    }
    checkRanges(entries, dataBytes);
    return new SafetensorsHeader(entries, metadata);
  }

  private static Entry entry(JsonParser parser, String name) throws IOException {
    DType dtype = null;
    List<Long> shape = null;
    List<Long> offsets = null;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      JsonToken value = parser.nextToken();
      switch (key) {
        case "dtype" -> {
          expect(value, JsonToken.VALUE_STRING);
          dtype = DType.valueOf(parser.getText());
        }
        case "shape" -> shape = numbers(parser);
        case "data_offsets" -> offsets = numbers(parser);
        default ->
            throw new CorruptCheckpoint("The tensor '%s' has the key '%s'.".formatted(name, key));
      }
    }
    if (dtype == null || shape == null || offsets == null || offsets.size() != 2) {
      throw new CorruptCheckpoint("The tensor '%s' lacks dtype, shape or range.".formatted(name));
    }
    return new Entry(new TensorSpec(name, dtype, shape), offsets.get(0), offsets.get(1));
  }

  private static List<Long> numbers(JsonParser parser) throws IOException {
    expect(parser.currentToken(), JsonToken.START_ARRAY);
    List<Long> numbers = new ArrayList<>();
    while (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
      numbers.add(parser.getLongValue());
    }
    expect(parser.currentToken(), JsonToken.END_ARRAY);
    return numbers;
  }

  private static void checkRanges(List<Entry> entries, long dataBytes) throws CorruptCheckpoint {
    List<Entry> sorted = new ArrayList<>(entries);
    sorted.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
    long covered = 0;
    for (Entry entry : sorted) {
      if (entry.begin() != covered
          || entry.end() < entry.begin()
          || entry.end() - entry.begin() != entry.tensor().bytes()) {
        throw new CorruptCheckpoint(
            "The tensor '%s' cannot lie at [%d, %d)."
                .formatted(entry.tensor().name(), entry.begin(), entry.end()));
      }
      covered = entry.end();
    }
    if (covered != dataBytes) {
      throw new CorruptCheckpoint("The tensors take %d of %d bytes.".formatted(covered, dataBytes));
    }
  }

  private static void expect(@Nullable JsonToken token, JsonToken wanted) throws CorruptCheckpoint {
    if (token != wanted) {
      throw new CorruptCheckpoint(
          "The safetensors header has %s where there should be %s.".formatted(token, wanted));
    }
  }
}
