package io.deepvm.cli.coordinator;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.SafetensorsHeader;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.StoredSlice;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Files of a run, kept as a checkpoint whose tensors are the bytes of the files. So they are there
 * whole or not at all, and an older coordinator cannot write them any more.
 */
record StoredFiles(Tier tier, String name) {

  private static final String SHARD = new ShardName(0, 1).file();
  private static final String SAFE =
      "[A-Za-z0-9][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){0,3}";
  private static final long MOST_BYTES = 1 << 30;

  /** A version with the contents of its files. */
  record Content(Version version, SortedMap<String, byte[]> files) {}

  /** Saves the files as a version; the owner must have claimed its generation. */
  void write(Version version, UUID owner, SortedMap<String, byte[]> files) throws IOException {
    List<TensorSpec> tensors = new ArrayList<>();
    List<SafetensorsHeader.Entry> entries = new ArrayList<>();
    long end = 0;
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      TensorSpec tensor =
          new TensorSpec(file.getKey(), DType.U8, List.of((long) file.getValue().length));
      tensors.add(tensor);
      entries.add(new SafetensorsHeader.Entry(tensor, end, end + tensor.bytes()));
      end += tensor.bytes();
    }
    byte[] header = new SafetensorsHeader(entries, Map.of()).toBytes();
    if (header.length + end > MOST_BYTES) {
      throw new BadInput(
          "The files of the run take %d MiB, and a store keeps 1,024 at most.".formatted(end >> 20),
          "Maybe leave large files out of --workdir, by .gitignore.");
    }
    ByteBuffer whole = ByteBuffer.allocate((int) (header.length + end)).put(header);
    files.values().forEach(whole::put);
    whole.flip();
    Checksums.Builder sums = new Checksums.Builder();
    sums.update(whole.duplicate());
    List<StoredSlice> slices =
        entries.stream()
            .map(
                each ->
                    new StoredSlice(
                        each.tensor().name(),
                        0,
                        each.tensor().bytes(),
                        header.length + each.begin()))
            .toList();
    Shard shard = new Shard(SHARD, whole.remaining(), sums.build(), slices, Map.of());
    try (CheckpointWriter writer = tier.write(version, owner)) {
      try (ShardWriter out = writer.shard(SHARD, whole.remaining())) {
        out.write(whole.position((int) out.position()));
        out.seal();
      }
      String now = Instant.now().toString();
      writer.commit(Manifest.of(version, now, tensors, List.of(shard)).withOwner(owner));
    }
  }

  /** Returns the newest whole version that is sound; null if there is none. */
  @Nullable Content newest() throws IOException {
    List<Version> newestFirst =
        tier.list(name).stream()
            .filter(Holding::complete)
            .map(Holding::version)
            .sorted(Comparator.reverseOrder())
            .toList();
    CorruptCheckpoint damaged = null;
    for (Version version : newestFirst) {
      try {
        return read(version);
      } catch (CorruptCheckpoint e) {
        damaged = e;
      }
    }
    if (damaged != null) {
      throw damaged;
    }
    return null;
  }

  private Content read(Version version) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    try (CheckpointReader reader = tier.read(version)) {
      Shard shard = reader.manifest().shards().get(0);
      if (shard.bytes() > MOST_BYTES) {
        throw new CorruptCheckpoint("%s has %d bytes.".formatted(shard.name(), shard.bytes()));
      }
      ByteBuffer whole = ByteBuffer.allocate((int) shard.bytes());
      reader.read(shard.name(), 0, whole);
      whole.flip();
      requireSound(shard, whole);
      for (StoredSlice slice : shard.slices()) {
        if (!slice.tensor().matches(SAFE)) {
          throw new CorruptCheckpoint("'%s' is no file of a run.".formatted(slice.tensor()));
        }
        byte[] bytes = new byte[(int) slice.bytes()];
        whole.get((int) slice.at(), bytes);
        files.put(slice.tensor(), bytes);
      }
    }
    return new Content(version, files);
  }

  private static void requireSound(Shard shard, ByteBuffer whole) throws CorruptCheckpoint {
    Checksums sums = shard.checksums();
    for (int chunk = 0; chunk < sums.chunks().size(); chunk++) {
      int from = chunk * sums.chunkBytes();
      ByteBuffer piece = whole.slice(from, Math.min(sums.chunkBytes(), whole.limit() - from));
      if (!sums.matches(chunk, piece)) {
        throw new CorruptCheckpoint("%s is damaged.".formatted(shard.name()));
      }
    }
  }
}
