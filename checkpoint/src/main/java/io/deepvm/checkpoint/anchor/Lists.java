package io.deepvm.checkpoint.anchor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.checkpoint.WorkerPart;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.tier.Holding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** What is too long for a message, as JSON. */
final class Lists {

  /** The longest list, part or manifest that is taken. */
  static final int MAX_BYTES = Manifest.MAX_BYTES + (1 << 20);

  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(10)
                          .maxDocumentLength(MAX_BYTES)
                          .maxStringLength(Shard.MAX_METADATA)
                          .maxNameLength(Shard.MAX_METADATA)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  private Lists() {}

  static byte[] of(Object value) throws IOException {
    return JSON.writeValueAsBytes(value);
  }

  static Set<String> names(byte[] bytes) throws IOException {
    return JSON.readValue(bytes, new TypeReference<Set<String>>() {});
  }

  static List<Holding> holdings(byte[] bytes) throws IOException {
    return JSON.readValue(bytes, new TypeReference<List<Holding>>() {});
  }

  static WorkerPart part(byte[] bytes) throws IOException {
    return JSON.readValue(bytes, WorkerPart.class);
  }

  /** A manifest, and which of its shards are to be held. */
  record Commitment(byte[] manifest, Set<String> held) {

    byte[] encode() throws IOException {
      byte[] names = Lists.of(held);
      return ByteBuffer.allocate(Integer.BYTES + names.length + manifest.length)
          .putInt(names.length)
          .put(names)
          .put(manifest)
          .array();
    }

    static Commitment decode(byte[] bytes) throws IOException {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new IOException("A commitment of %d bytes cannot be read.".formatted(bytes.length));
      }
      byte[] names = new byte[length];
      in.get(names);
      byte[] manifest = new byte[in.remaining()];
      in.get(manifest);
      return new Commitment(manifest, Lists.names(names));
    }
  }
}
