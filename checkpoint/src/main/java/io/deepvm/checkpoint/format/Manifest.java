package io.deepvm.checkpoint.format;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.OptBoolean;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.InjectableValues;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The table of contents of a checkpoint. It is written last: without it, there is no checkpoint.
 *
 * @param created when it was put together, in ISO-8601
 * @param owner the session that saved it; empty where an earlier release did
 */
public record Manifest(
    String schema,
    String job,
    long generation,
    long step,
    String created,
    @JacksonInject(value = OWNER, useInput = OptBoolean.TRUE) String owner,
    List<TensorSpec> tensors,
    List<Shard> shards) {

  /** The file's name in the folder of its version. */
  public static final String FILE = "manifest.json";

  /** The largest manifest that is read or written. */
  public static final int MAX_BYTES = 100_000_000;

  private static final String SCHEMA = "deepvm/checkpoint/v1";
  private static final String OWNER = "owner";
  private static final Pattern OWNERS =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  /** The last key, so that it can vouch for every byte before it. */
  private static final String CRC_KEY = ",\"crc32c\":\"";

  private static final int CRC_TAIL = CRC_KEY.length() + "00000000\"}\n".length();

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
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          // what a later release adds does not keep this one from restoring
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          // the one key that may be missing
          .injectableValues(new InjectableValues.Std().addValue(OWNER, ""))
          .build();

  public Manifest {
    tensors = List.copyOf(tensors);
    shards = List.copyOf(shards);
    if (!schema.equals(SCHEMA)) {
      throw new BadInput(
          "The manifest's schema is '%s', not '%s'.".formatted(schema, SCHEMA),
          "Maybe it was written by another release.");
    }
    // checks the names
    Version unused = new Version(job, generation, step);
    if (!owner.isEmpty() && !OWNERS.matcher(owner).matches()) {
      throw new BadInput(
          "The manifest's owner is no id.", "Maybe it was written by another release.");
    }
    checkNames(shards);
    checkCover(tensors, shards);
  }

  /** Puts a manifest together from its parts. */
  public static Manifest of(
      Version version, String created, List<TensorSpec> tensors, List<Shard> shards) {
    return new Manifest(
        SCHEMA, version.job(), version.generation(), version.step(), created, "", tensors, shards);
  }

  /** Returns the same as saved by a session. */
  public Manifest withOwner(UUID session) {
    return new Manifest(
        schema, job, generation, step, created, session.toString(), tensors, shards);
  }

  private static void checkNames(List<Shard> shards) {
    Set<String> names = new HashSet<>();
    for (Shard shard : shards) {
      if (!names.add(shard.name()) || ShardName.parse(shard.name()).count() != shards.size()) {
        throw new BadInput(
            "%s does not fit among the %d shards.".formatted(shard.name(), shards.size()),
            "Maybe two workers have the same rank.");
      }
    }
  }

  /** Checks that every byte of every tensor is in exactly one shard. */
  private static void checkCover(List<TensorSpec> tensors, List<Shard> shards) {
    Map<String, List<StoredSlice>> slices = new HashMap<>();
    for (TensorSpec tensor : tensors) {
      if (slices.put(tensor.name(), new ArrayList<>()) != null) {
        throw new BadInput(
            "The tensor '%s' is there twice.".formatted(tensor.name()),
            "Maybe give each its own name.");
      }
    }
    for (Shard shard : shards) {
      for (StoredSlice slice : shard.slices()) {
        List<StoredSlice> known = slices.get(slice.tensor());
        if (known == null) {
          throw new BadInput(
              "%s holds a slice of the unknown tensor '%s'."
                  .formatted(shard.name(), slice.tensor()),
              "Maybe the manifest is of another checkpoint.");
        }
        known.add(slice);
      }
    }
    for (TensorSpec tensor : tensors) {
      List<StoredSlice> held = slices.getOrDefault(tensor.name(), new ArrayList<>());
      held.sort(Comparator.comparingLong(StoredSlice::begin).thenComparing(StoredSlice::end));
      long covered = 0;
      boolean exact = !held.isEmpty();
      for (StoredSlice slice : held) {
        exact &= slice.begin() == covered;
        covered = slice.end();
      }
      if (!exact || covered != tensor.bytes()) {
        throw new BadInput(
            "The shards do not hold every byte of the tensor '%s' exactly once: %s of %d."
                .formatted(tensor.name(), held, tensor.bytes()),
            "Maybe the workers' slices overlap or one worker left some out.");
      }
    }
  }

  /** Returns which checkpoint this is. */
  public Version version() {
    return new Version(job, generation, step);
  }

  /** Returns whether both are of one save, whenever they were put together. */
  public boolean isSameSave(Manifest other) {
    return version().equals(other.version())
        && owner.equals(other.owner)
        && tensors.equals(other.tensors)
        && shards.equals(other.shards);
  }

  /**
   * Returns the session that saved it. For an earlier release, which wrote none, every process
   * makes up the same.
   */
  public UUID session() {
    return owner.isEmpty()
        ? UUID.nameUUIDFromBytes((job + " " + generation).getBytes(StandardCharsets.UTF_8))
        : UUID.fromString(owner);
  }

  /** Returns what the worker of this rank remembered besides tensors. */
  public Map<String, String> metadata(int worker) {
    for (Shard shard : shards) {
      if (ShardName.parse(shard.name()).index() == worker) {
        return shard.metadata();
      }
    }
    return Map.of();
  }

  /** Returns the size of all shards. */
  public long bytes() {
    return shards.stream().mapToLong(Shard::bytes).sum();
  }

  /** Returns the names of all shards. */
  public Set<String> shardNames() {
    Set<String> names = new HashSet<>();
    shards.forEach(shard -> names.add(shard.name()));
    return names;
  }

  /** Returns the file's bytes: JSON whose last key is the checksum of all bytes before it. */
  public byte[] toBytes() throws IOException {
    byte[] json = JSON.writeValueAsBytes(this);
    int body = json.length - 1;
    byte[] tail = tail(json, body);
    if (body + tail.length > MAX_BYTES) {
      throw new IOException(
          "The manifest (%d bytes) is larger than %d bytes."
              .formatted(body + tail.length, MAX_BYTES));
    }
    return ByteBuffer.allocate(body + tail.length).put(json, 0, body).put(tail).array();
  }

  /** Reads a manifest, trusting nothing in it. */
  public static Manifest parse(byte[] bytes) throws CorruptCheckpoint {
    int body = bytes.length - CRC_TAIL;
    if (body < 0
        || bytes.length > MAX_BYTES
        || !ByteBuffer.wrap(bytes, body, CRC_TAIL).equals(ByteBuffer.wrap(tail(bytes, body)))) {
      throw new CorruptCheckpoint(
          "The manifest of %d bytes is cut off or changed.".formatted(bytes.length));
    }
    try {
      return JSON.readValue(bytes, Manifest.class);
    } catch (JsonProcessingException e) {
      throw new CorruptCheckpoint(
          "The manifest cannot be read: " + firstLine(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new CorruptCheckpoint("The manifest cannot be read.", e);
    }
  }

  private static byte[] tail(byte[] bytes, int body) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, body);
    return String.format(Locale.ROOT, "%s%08x\"}\n", CRC_KEY, crc.getValue())
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static String firstLine(String message) {
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }
}
